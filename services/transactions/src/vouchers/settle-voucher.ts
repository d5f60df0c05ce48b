import type { KeyNotFound, KeyReversed, Voucher, VoucherOutcome } from '@cobro/acquirer'
import type { Message } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { postCapture } from '../ledger/post-capture.ts'
import { bookLatePayment } from '../refunds/book-late-payment.ts'
import { makeMove } from '../transactions/make-move.ts'
import { hastenCheck, lockTransaction, type WhenUnknown } from '../transactions/settle-transaction.ts'
import { settledMessage, tellSettled } from '../transactions/tell-settled.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'

export type VoucherNews = VoucherOutcome | KeyNotFound | KeyReversed

/** A notice tells that a voucher was paid. Should one be lost, this is how late it is found out. */
const lookEveryMs = 6 * 3_600_000

/**
 * Writes down what the acquirer says of a voucher: state and events in the caller's transaction. Gives the message that tells
 * checkout, or undefined while nobody knows whether there is a voucher. News come in any order, so what is older than the state
 * that stands changes nothing. Money is never dropped: what was paid after its transaction ended is booked as money that came late.
 * A voucher over anything but what its transaction is over is thrown, so that it is logged and nobody is shown it or takes it for paid.
 */
export async function settleVoucher(
  tx: Tx,
  emit: Emit,
  id: string,
  news: VoucherNews,
  whenUnknown: WhenUnknown = hastenCheck,
): Promise<Message | undefined> {
  const row = await lockTransaction(tx, id)
  const now = new Date()
  if ('reference' in news) {
    refuseOtherMoney(row, news)
    noteVoucher(row, news)
  }
  if (row.status === 'pending') return settlePending({ tx, emit }, row, news, { now, whenUnknown })
  if (news.status === 'paid') {
    if (!row.captured_at) await bookLatePayment(tx, emit, row, { acquirer_reference: news.reference })
    row.next_check_at = null
  } else if (row.next_check_at) {
    // It is to be withdrawn, and is not yet while the acquirer does not say so.
    if (isUnknown(news) || news.status === 'pending') whenUnknown(row, now)
    else row.next_check_at = null
  }
  return settledMessage(row)
}

async function settlePending(
  { tx, emit }: { tx: Tx; emit: Emit },
  row: TransactionRow,
  news: VoucherNews,
  { now, whenUnknown }: { now: Date; whenUnknown: WhenUnknown },
): Promise<Message | undefined> {
  if (isUnknown(news)) {
    whenUnknown(row, now)
    return settledMessage(row)
  }
  if (news.status === 'pending') {
    row.next_check_at = new Date(now.getTime() + lookEveryMs)
    if (row.settled_event_id) return settledMessage(row)
    row.updated_at = now
    emit('payment.pending', row)
    return tellSettled(emit, row)
  }
  row.next_check_at = null
  if (news.status === 'paid') {
    row.captured_at = now
    row.acquirer_reference = news.reference
    row.updated_at = now
    await postCapture(tx, row)
    makeMove(emit, row, 'approve', now)
  } else if (news.status === 'expired') {
    makeMove(emit, row, 'expire', now)
  } else if (news.status === 'withdrawn' && row.settled_event_id) {
    makeMove(emit, row, 'cancel', now)
  } else {
    // No payer has ever seen one.
    row.decline_reason = 'processing_error'
    makeMove(emit, row, 'fail', now)
  }
  return tellSettled(emit, row)
}

function isUnknown(news: VoucherNews): boolean {
  return news.status === 'processing' || news.status === 'not_found'
}

function refuseOtherMoney({ id, ...expected }: TransactionRow, { amount_cents, currency }: Voucher): void {
  if (amount_cents === expected.amount_cents && currency === expected.currency) return
  throw new Error(
    `Transaction ${id} is over ${expected.amount_cents} ${expected.currency}, and its voucher over ${amount_cents} ${currency}.`,
  )
}

function noteVoucher(row: TransactionRow, { reference, barcode, due_at }: Voucher): void {
  row.voucher_reference ??= reference
  row.voucher_barcode ??= barcode
  row.voucher_due_at ??= due_at
}
