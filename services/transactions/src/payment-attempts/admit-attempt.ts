import { type CommandData, type Message, newId } from '@cobro/contracts'
import { type Database, findRow, newRow, violatesConstraint } from '@cobro/database'
import { timings } from '@cobro/runtime'
import { voucherDue } from '../time/voucher-due.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { attemptResolution, emitAttemptResolution } from './attempt-resolution.ts'

export type Attempt = CommandData<'payment.resolve'>

/** An attempt's transaction, whether this call created it, and the message with any outcome. */
export interface AdmittedAttempt<Row = TransactionRow> {
  row: Row
  created: boolean
  resolution: Message | undefined
}

/**
 * Finds or creates an attempt's transaction and commits it, so that the attempt is known whatever
 * happens during the call to the acquirer. An attempt created as `failed` can never be charged.
 */
export async function admitAttempt(
  db: Database,
  attempt: Attempt,
  status: 'pending' | 'failed',
): Promise<AdmittedAttempt> {
  const { payment_intent_id, attempt: number } = attempt
  try {
    return await db.write(async (tx, emit) => {
      const known = await findRow(tx, TransactionEntity, { payment_intent_id, attempt: number })
      if (known) return { row: known, created: false, resolution: attemptResolution(known) }
      const row = newRow(tx, TransactionEntity, newTransactionOf(attempt, status))
      await tx.flush()
      if (status === 'failed') emit('payment.failed', row)
      return { row, created: true, resolution: emitAttemptResolution(emit, row) }
    })
  } catch (error) {
    // A concurrent delivery of the same command created the row.
    if (violatesConstraint(error, 'transactions_attempt')) return admitAttempt(db, attempt, status)
    // Another attempt of this intent is pending or approved: this one must never be charged.
    if (violatesConstraint(error, 'transactions_live_charge')) return admitAttempt(db, attempt, 'failed')
    throw error
  }
}

/** Returns the initial values of an attempt's transaction. */
export function newTransactionOf(attempt: Attempt, status: 'pending' | 'failed') {
  const now = new Date()
  const { card, payment_method = 'card', ...given } = attempt
  return {
    ...given,
    id: newId('txn'),
    type: 'payment' as const,
    rail: 'online_cnp' as const,
    payment_method,
    status,
    fee_cents: 0,
    card: card ? { brand: card.brand, last4: card.last4 } : null,
    decline_reason: status === 'failed' ? ('processing_error' as const) : null,
    next_check_at: status === 'pending' ? new Date(now.getTime() + timings.check) : null,
    check_count: 0,
    voucher_due_at: payment_method === 'cash' && status === 'pending' ? voucherDue(now) : null,
    created_at: now,
    updated_at: now,
  }
}
