import type { Emit } from '@cobro/database'
import type { TransactionRow } from './transaction-entity.ts'
import { type TransactionAction, transactionTransition } from './transaction-states.ts'

/**
 * Applies an action to a locked transaction and emits its events. The events contain the row as it is then, so callers set all
 * other fields first. Returns false, and changes nothing, when the action is not allowed in the row's status.
 */
export function transitionTransaction(emit: Emit, row: TransactionRow, action: TransactionAction, now: Date): boolean {
  const transition = transactionTransition(row.status, action)
  if (!transition) return false
  row.status = transition.to
  row.updated_at = now
  for (const name of transition.emits) emit(name, row)
  return true
}
