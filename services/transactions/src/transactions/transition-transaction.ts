import type { Emit, Tx } from '@cobro/database'
import type { TransactionRow } from './transaction-entity.ts'
import { type TransactionAction, transactionTransition } from './transaction-states.ts'

/** A locked transaction, in the database transaction of the caller. */
export interface LockedTransaction {
  tx: Tx
  emit: Emit
  row: TransactionRow
  now: Date
}

/**
 * Applies an action to a locked transaction and emits its events.
 * Returns false and changes nothing if the action is not allowed.
 * The events contain the row as it is then, so callers set all other fields first.
 */
export function transitionTransaction({ emit, row, now }: Omit<LockedTransaction, 'tx'>, action: TransactionAction) {
  const transition = transactionTransition(row.status, action)
  if (!transition) return false
  row.status = transition.to
  row.updated_at = now
  for (const name of transition.emits) emit(name, row)
  return true
}
