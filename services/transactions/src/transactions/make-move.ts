import type { Emit } from '@cobro/database'
import type { TransactionRow } from './transaction-entity.ts'
import { type TransactionMove, transactionStep } from './transaction-states.ts'

/**
 * Moves a locked transaction and emits what the move tells, with the row as it then is: whatever else changes with the move is
 * set before. Gives false, and changes nothing, where the move may not happen.
 */
export function makeMove(emit: Emit, row: TransactionRow, move: TransactionMove, now: Date): boolean {
  const step = transactionStep(row.status, move)
  if (!step) return false
  row.status = step.to
  row.updated_at = now
  for (const name of step.emits) emit(name, row)
  return true
}
