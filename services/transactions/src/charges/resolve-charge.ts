import type { Id, Message } from '@cobro/contracts'
import { type Emit, lockRow, type Tx } from '@cobro/database'
import { checkSoon, type ScheduleCheck } from '../acquirer/check-schedule.ts'
import { Contradiction } from '../acquirer/contradiction.ts'
import { attemptResolution, emitAttemptResolution } from '../payment-attempts/attempt-resolution.ts'
import { recordLatePayment } from '../refunds/record-late-payment.ts'
import { type CaptureTerms, captureTerms, postCaptureOn } from '../transactions/post-capture.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { transitionTransaction } from '../transactions/transition-transaction.ts'
import { type ChargeReport, chargeEffect } from './charge-states.ts'

/**
 * Applies the acquirer's report about a charge: status, ledger entries and events in the caller's
 * transaction. Returns the message for checkout, or undefined while the outcome is unknown; `scheduleCheck` then
 * schedules the next check. Throws a `Contradiction` for one that does not fit the stored outcome.
 */
export async function resolveCharge(
  tx: Tx,
  emit: Emit,
  id: Id<'txn'>,
  report: ChargeReport,
  scheduleCheck?: ScheduleCheck,
): Promise<Message | undefined> {
  const row = await lockRow(tx, TransactionEntity, id)
  return resolveLockedCharge({ tx, emit }, row, report, { scheduleCheck })
}

/** Does the same for a locked transaction. Loads the terms of its capture if they are left out. */
export async function resolveLockedCharge(
  { tx, emit }: { tx: Tx; emit: Emit },
  row: TransactionRow,
  report: ChargeReport,
  { scheduleCheck = checkSoon, terms }: { scheduleCheck?: ScheduleCheck; terms?: CaptureTerms },
): Promise<Message | undefined> {
  const now = new Date()
  const effect = chargeEffect(row.status, report.status)
  if (effect === 'contradiction') {
    throw new Contradiction(`Transaction ${row.id} is ${row.status}, and the acquirer says ${report.status}.`)
  }
  if (effect === 'check_again') scheduleCheck(row, now)
  if (effect === 'late_payment') {
    if (report.status !== 'approved') throw new Error(`A late payment of ${row.id} is ${report.status}.`)
    await recordLatePayment(tx, emit, row, report)
  }
  if (effect !== 'approve' && effect !== 'decline' && effect !== 'fail') return attemptResolution(row)
  recordReport(row, report, now)
  if (effect === 'approve') postCaptureOn(tx, row, terms ?? (await captureTerms(tx, [row])))
  transitionTransaction({ emit, row, now }, effect)
  return emitAttemptResolution(emit, row)
}

function recordReport(row: TransactionRow, report: ChargeReport, now: Date): void {
  row.next_check_at = null
  row.updated_at = now
  if ('acquirer_reference' in report) {
    row.acquirer_reference = report.acquirer_reference ?? null
    row.risk_score = report.risk_score ?? null
  }
  if (report.status === 'approved') row.captured_at = now
  if (report.status === 'declined') row.decline_reason = report.decline_reason ?? 'card_declined'
  if (report.status === 'failed' || report.status === 'reversed') row.decline_reason = 'processing_error'
}
