import { newId } from '@cobro/contracts'
import { type Database, newRow } from '@cobro/database'
import { postCapture } from '../src/transactions/post-capture.ts'
import { TransactionEntity, type TransactionRow } from '../src/transactions/transaction-entity.ts'

/** Inserts a payment, and posts its capture on the merchant's terms when it is captured. */
export function paymentRow(db: Database, change: Partial<TransactionRow> = {}): Promise<TransactionRow> {
  const now = new Date()
  return db.write(async tx => {
    const row = newRow(tx, TransactionEntity, {
      id: newId('txn'),
      type: 'payment',
      merchant_id: newId('mrc'),
      correlation_id: newId('corr'),
      payment_intent_id: newId('pi'),
      attempt: 1,
      payable_id: newId('cs'),
      rail: 'online_cnp',
      payment_method: 'card',
      status: 'approved',
      amount_cents: 25_000,
      currency: 'MXN',
      fee_cents: 0,
      captured_at: change.status === 'pending' ? null : now,
      check_count: 0,
      created_at: now,
      updated_at: now,
      ...change,
    } as never)
    if (row.captured_at) await postCapture(tx, row)
    return row
  })
}
