import { type ChangeSet, ChangeSetType } from '@mikro-orm/core'
import type { Dictionary } from '@mikro-orm/postgresql'
import { quoted, tableOf, valuesOf } from './find-row.ts'
import type { Tx } from './transaction.ts'

/** MikroORM writes many changes in fewer statements: all new rows of a table in one. */
const maxOwn = 4

/**
 * Writes the changes of the transaction's rows like `flush`, for the last time in the transaction: MikroORM does not learn that
 * they are written. It takes longer to build a statement than Postgres to execute it, so the plain ones are built here.
 */
export async function writeChanges(tx: Tx): Promise<void> {
  const unit = tx.getUnitOfWork()
  unit.computeChangeSets()
  const changes = unit.getChangeSets()
  if (changes.length > maxOwn || !changes.every(isPlain)) return tx.flush()
  for (const change of changes) await writeChange(tx, change)
}

/** Whether the payload of a change is all there is to write, and nothing has to be read from the result. */
function isPlain({ type, meta, payload }: ChangeSet<Dictionary>): boolean {
  if (meta.relations.length > 0 || meta.versionProperty || meta.concurrencyCheckKeys.size > 0) return false
  if (type === ChangeSetType.UPDATE) return true
  // The database adds the defaults of what is left out, and the row has to show them.
  return type === ChangeSetType.CREATE && meta.props.every(({ name, persist }) => persist === false || name in payload)
}

async function writeChange(tx: Tx, { type, meta, payload, entity }: ChangeSet<Dictionary>): Promise<void> {
  const table = tableOf(tx, meta.class)
  const columns = Object.keys(payload)
  const values = Object.values(payload)
  if (type === ChangeSetType.CREATE) {
    const places = values.map(() => '?').join(', ')
    await tx.execute(`insert into ${table} (${columns.map(quoted).join(', ')}) values (${places})`, values)
    return
  }
  const key = meta.primaryKeys.map(name => entity[name])
  const condition = valuesOf(meta.primaryKeys, ' and ')
  await tx.execute(`update ${table} set ${valuesOf(columns, ', ')} where ${condition}`, [...values, ...key])
}
