import { type CommandData, type Message, newId } from '@cobro/contracts'
import { type Database, newRow, type Tx, violatesConstraint } from '@cobro/database'
import { voucherDue } from '../vouchers/voucher-due.ts'
import { settledMessage, tellSettled } from './tell-settled.ts'
import { TransactionEntity, type TransactionRow } from './transaction-entity.ts'

export type Attempt = CommandData<'payment.resolve'>

/** An attempt's transaction. `settled` is the message of its outcome, once there is one; `made` tells a new row from a known one. */
export interface Admitted<Row = TransactionRow> {
  row: Row
  made: boolean
  settled: Message | undefined
}

const firstCheckMs = 30_000

/**
 * Finds the transaction of an attempt or makes it, in a transaction of its own: the row stands before the acquirer is
 * asked, so that whatever happens then, the attempt is known. One that is made as failed can never be charged.
 */
export async function admitAttempt(db: Database, attempt: Attempt, status: 'pending' | 'failed'): Promise<Admitted> {
  const { payment_intent_id, attempt: number } = attempt
  try {
    return await db.write(async (tx, emit) => {
      const known = await tx.findOne(TransactionEntity, { payment_intent_id, attempt: number })
      if (known) return { row: known, made: false, settled: settledMessage(known) }
      const row = await insertRow(tx, attempt, status)
      if (status === 'failed') emit('payment.failed', row)
      return { row, made: true, settled: tellSettled(emit, row) }
    })
  } catch (error) {
    // Two deliveries of one command at once: the other made the row.
    if (violatesConstraint(error, 'transactions_attempt')) return admitAttempt(db, attempt, status)
    // Another attempt of this intent is or may become money: this one must never be charged.
    if (violatesConstraint(error, 'transactions_live_charge')) return admitAttempt(db, attempt, 'failed')
    throw error
  }
}

async function insertRow(tx: Tx, attempt: Attempt, status: 'pending' | 'failed'): Promise<TransactionRow> {
  const row = newRow(tx, TransactionEntity, rowOf(attempt, status))
  await tx.flush()
  return row
}

/** What the transaction of an attempt says at first. */
export function rowOf(attempt: Attempt, status: 'pending' | 'failed') {
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
    next_check_at: status === 'pending' ? new Date(now.getTime() + firstCheckMs) : null,
    check_count: 0,
    voucher_due_at: payment_method === 'cash' && status === 'pending' ? voucherDue(now) : null,
    created_at: now,
    updated_at: now,
  }
}
