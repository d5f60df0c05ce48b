import { CompiledQuery } from 'kysely'
import type { Tx } from './transaction.ts'

/**
 * Runs one statement of a transaction with its values beside it (`$1`, `$2` and so on) and gives its rows. `tx.execute` writes values into
 * the text of the statement, which for large ones takes longer than to send them.
 */
export async function executeBound<T>(tx: Tx, statement: string, values: readonly unknown[]): Promise<T[]> {
  const { rows } = await tx.getKysely().executeQuery<T>(CompiledQuery.raw(statement, [...values]))
  return rows
}
