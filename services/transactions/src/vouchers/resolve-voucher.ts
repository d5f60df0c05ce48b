import type { Voucher } from '@cobro/acquirer'
import type { Id, Message } from '@cobro/contracts'
import { type Emit, lockRow, type Tx } from '@cobro/database'
import { checkSoon, type ScheduleCheck } from '../acquirer/check-schedule.ts'
import { Contradiction } from '../acquirer/contradiction.ts'
import { attemptResolution, emitAttemptResolution } from '../payment-attempts/attempt-resolution.ts'
import { recordLatePayment } from '../refunds/record-late-payment.ts'
import { postCapture } from '../transactions/post-capture.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { type LockedTransaction, transitionTransaction } from '../transactions/transition-transaction.ts'
import { type VoucherEffect, type VoucherReport, voucherEffect, voucherState } from './voucher-states.ts'

/** The interval of checking an issued voucher, in case the notification of its payment is lost. */
const checkIssuedEveryMs = 6 * 3_600_000

/**
 * Applies the acquirer's report about a voucher: status, ledger entries and events in the caller's
 * transaction. Returns the message for checkout, or undefined while it is unknown whether a voucher exists. A report
 * older than the stored state changes nothing. Money is never dropped: a payment after the transaction ended is
 * recorded as a late payment. Throws a `Contradiction` when the voucher's amount or currency differs from the
 * transaction's: it is neither shown nor taken as paid.
 */
export async function resolveVoucher(
  tx: Tx,
  emit: Emit,
  id: Id<'txn'>,
  report: VoucherReport,
  scheduleCheck: ScheduleCheck = checkSoon,
): Promise<Message | undefined> {
  const row = await lockRow(tx, TransactionEntity, id)
  const now = new Date()
  if ('reference' in report) {
    requireSameAmount(row, report)
    storeVoucher(row, report)
  }
  const effect = voucherEffect(voucherState(row), report.status)
  if (await applyToOpenTransaction({ tx, emit, row, now }, effect, report)) return emitAttemptResolution(emit, row)
  if (effect === 'check_again' || (effect === 'await_withdrawal' && row.next_check_at)) scheduleCheck(row, now)
  if (effect === 'keep') row.next_check_at = new Date(now.getTime() + checkIssuedEveryMs)
  if (effect === 'late_payment') {
    if (!('reference' in report)) throw new Error(`Late cash for ${row.id} has no reference.`)
    await recordLatePayment(tx, emit, row, { acquirer_reference: report.reference })
  }
  if (effect === 'late_payment' || effect === 'stop_checks') row.next_check_at = null
  return attemptResolution(row)
}

/** Issues the voucher or ends its transaction. Returns false for every other effect. */
async function applyToOpenTransaction(locked: LockedTransaction, effect: VoucherEffect, report: VoucherReport) {
  const { tx, emit, row, now } = locked
  switch (effect) {
    case 'issue':
      row.next_check_at = new Date(now.getTime() + checkIssuedEveryMs)
      row.updated_at = now
      emit('payment.pending', row)
      return true
    case 'approve':
      row.captured_at = now
      if ('reference' in report) row.acquirer_reference = report.reference
      row.updated_at = now
      await postCapture(tx, row)
      break
    case 'fail':
      row.decline_reason = 'processing_error'
      break
    case 'expire':
    case 'cancel':
      break
    default:
      return false
  }
  row.next_check_at = null
  transitionTransaction(locked, effect)
  return true
}

function requireSameAmount({ id, ...expected }: TransactionRow, { amount_cents, currency }: Voucher): void {
  if (amount_cents === expected.amount_cents && currency === expected.currency) return
  throw new Contradiction(
    `Transaction ${id} is over ${expected.amount_cents} ${expected.currency}, and its voucher over ${amount_cents} ${currency}.`,
  )
}

function storeVoucher(row: TransactionRow, { reference, barcode, due_at }: Voucher): void {
  row.voucher_reference ??= reference
  row.voucher_barcode ??= barcode
  row.voucher_due_at ??= due_at
}
