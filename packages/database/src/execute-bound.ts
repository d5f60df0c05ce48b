import { CompiledQuery } from 'kysely'
import type { Tx } from './transaction.ts'

/**
 * Runs one statement with bound parameters (`$1`, `$2` and so on) and returns its rows.
 * `tx.execute` writes the values into the text of the statement, which for large values takes longer than sending them.
 */
export async function executeBound<T>(tx: Tx, statement: string, values: readonly unknown[]): Promise<T[]> {
  const { rows } = await tx.getKysely().executeQuery<T>(CompiledQuery.raw(statement, [...values]))
  return rows
}
