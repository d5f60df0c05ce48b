import type { MikroORM } from '@mikro-orm/postgresql'
import { compileStatement, type Execute } from './compile-statement.ts'
import { isPlanOutdated } from './database-errors.ts'
import { connect, type Executed, executed, isLost, OpenTransaction } from './open-transaction.ts'

/**
 * Makes MikroORM send values as parameters (`$1`, `$2`, …) instead of writing them into the text of the statement.
 * So the texts are few, and PostgreSQL can keep their plans. Remove once mikro-orm/mikro-orm#8001 is implemented.
 * Leaves out what no one uses here: `onQuery`, the log of queries, and signals that abort a query. Kysely, which MikroORM would
 * send the statement through, would only add time.
 */
export function bindValues(orm: MikroORM): void {
  const connection = orm.em.getConnection()
  const platform = orm.config.getPlatform()
  const execute = async (...[query, params = [], method = 'all', transaction]: Parameters<Execute>) => {
    const compileTo = (values: unknown[]) => compileStatement(platform, { query, params }, values)
    const context: unknown = transaction
    if (context instanceof OpenTransaction) return resultOf(await context.execute(compileTo), method)
    const values: unknown[] = []
    const text = compileTo(values)
    // Nothing happened, and the next execution plans again. In a transaction the whole of it has to run again.
    const done = await executeAlone(orm, text, values).catch((error: unknown) => {
      if (!isPlanOutdated(error)) throw error
      return executeAlone(orm, text, values)
    })
    return resultOf(done, method)
  }
  connection.execute = execute as Execute
}

async function executeAlone(orm: MikroORM, text: string, values: unknown[]): Promise<Executed> {
  const client = await connect(orm)
  const [result] = await Promise.allSettled([client.query(text, values)])
  client.release(isLost(result))
  if (result.status === 'rejected') throw result.reason
  return executed(result.value)
}

/** Returns what MikroORM expects of `execute`: all rows, the first, or the number of affected rows with the rows. */
function resultOf({ rows, affectedRows }: Executed, method: Parameters<Execute>[2]) {
  if (method === 'all') return rows
  if (method === 'get') return rows[0]
  return { affectedRows, row: rows[0], rows }
}
