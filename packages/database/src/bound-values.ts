import type { MikroORM } from '@mikro-orm/postgresql'
import { CompiledQuery, type QueryResult } from 'kysely'
import { compileStatement, type Execute } from './compile-statement.ts'
import { isPlanOutdated } from './database-errors.ts'
import { type Executed, OpenTransaction } from './open-transaction.ts'

/**
 * Makes MikroORM send values as parameters (`$1`, `$2`, …) instead of writing them into the text of the statement.
 * So the texts are few, and PostgreSQL can keep their plans. Remove once mikro-orm/mikro-orm#8001 is implemented.
 * Leaves out what no one uses here: `onQuery`, the log of queries, and signals that abort a query.
 */
export function bindValues(orm: MikroORM): void {
  const connection = orm.em.getConnection()
  const platform = orm.config.getPlatform()
  const execute = async (...[query, params = [], method = 'all', transaction]: Parameters<Execute>) => {
    const compileTo = (values: unknown[]) => compileStatement(platform, { query, params }, values)
    const context: unknown = transaction
    if (context instanceof OpenTransaction) return resultOf(await context.execute(compileTo), method)
    await connection.ensureConnection()
    const values: unknown[] = []
    const compiled = CompiledQuery.raw(compileTo(values), values)
    const run = (): Promise<QueryResult<object>> => connection.getClient().executeQuery(compiled)
    // Nothing happened, and the next execution plans again. In a transaction the whole of it has to run again.
    const { rows, numAffectedRows } = await run().catch((error: unknown) => {
      if (!isPlanOutdated(error)) throw error
      return run()
    })
    return resultOf({ rows, affectedRows: Number(numAffectedRows ?? rows.length) }, method)
  }
  connection.execute = execute as Execute
}

/** Returns what MikroORM expects of `execute`: all rows, the first, or the number of affected rows with the rows. */
function resultOf({ rows, affectedRows }: Executed, method: Parameters<Execute>[2]) {
  if (method === 'all') return rows
  if (method === 'get') return rows[0]
  return { affectedRows, row: rows[0], rows }
}
