import { isId } from '@cobro/contracts'
import type { DemoAttempt, DemoHistory } from '@cobro/contracts/demo'
import { newRow, type Tx } from '@cobro/database'
import { captureTerms, postCaptureOn } from '../transactions/post-capture.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import type { TransactionAction } from '../transactions/transaction-states.ts'
import { transitionTransaction } from '../transactions/transition-transaction.ts'
import type { PlacedAttempt } from './demo-days.ts'
import { unpublished } from './unpublished.ts'

const actions: Record<DemoAttempt['status'], TransactionAction> = {
  ...{ approved: 'approve', declined: 'decline', failed: 'fail', expired: 'expire' },
}

/** Inserts the transactions of attempts that are not stored, with the ledger entries of their captures. Returns their number. */
export async function loadAttempts(
  tx: Tx,
  merchant: DemoHistory['merchant'],
  placed: readonly PlacedAttempt[],
): Promise<number> {
  const ids = placed.map(({ attempt }) => attempt.transaction_id)
  const stored = await tx.find(TransactionEntity, { id: { $in: ids } }, { fields: ['id'] })
  const known = new Set<string>(stored.map(({ id }) => id))
  const missing = placed.filter(({ attempt }) => !known.has(attempt.transaction_id))
  const rows = missing.map(one => ({ attempt: one.attempt, row: pendingTransaction(tx, merchant, one) }))
  const terms = await captureTerms(
    tx,
    rows.map(({ row }) => row),
  )
  for (const { attempt, row } of rows) endTransaction(tx, row, attempt, terms)
  await tx.flush()
  return missing.length
}

function pendingTransaction(
  tx: Tx,
  { id: merchant_id }: DemoHistory['merchant'],
  { order, attempt, number }: PlacedAttempt,
): TransactionRow {
  const { payable_id, correlation_id, payment_intent_id, amount_cents, currency, reference, customer } = order
  const { transaction_id, payment_method, card, risk_score, acquirer_reference, voucher, created_at, ended_at } =
    attempt
  return newRow(tx, TransactionEntity, {
    ...{ merchant_id, payable_id, correlation_id, payment_intent_id, amount_cents, currency },
    ...(isId('pl', payable_id) ? { payment_link_id: payable_id, reference } : { order_id: reference }),
    ...{ payment_method, card, risk_score, acquirer_reference, created_at },
    id: transaction_id,
    attempt: number,
    payer_email: customer.email ?? null,
    type: 'payment',
    rail: 'online_cnp',
    status: 'pending',
    fee_cents: 0,
    // Nothing is to be asked of the acquirer, which does not know of it.
    next_check_at: null,
    check_count: 0,
    voucher_reference: voucher?.reference ?? null,
    voucher_barcode: voucher?.barcode ?? null,
    voucher_due_at: voucher?.due_at ?? null,
    updated_at: ended_at,
  })
}

function endTransaction(
  tx: Tx,
  row: TransactionRow,
  { status, decline_reason, ended_at }: DemoAttempt,
  terms: Awaited<ReturnType<typeof captureTerms>>,
): void {
  row.decline_reason = decline_reason
  if (status === 'approved') {
    row.captured_at = ended_at
    postCaptureOn(tx, row, terms)
  }
  transitionTransaction({ emit: unpublished, row, now: ended_at }, actions[status])
}
