import { type Emit, lockRow, type Tx } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { checkLater, nextCheckAt } from '../acquirer/check-schedule.ts'
import { Contradiction, notYet } from '../acquirer/contradiction.ts'
import { hasLaterNotification } from '../acquirer/later-notification.ts'
import { refundPostings } from '../ledger/ledger-postings.ts'
import { lockPosition, postToPosition } from '../ledger/post-entries.ts'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import { type LockedTransaction, transitionTransaction } from '../transactions/transition-transaction.ts'
import { RefundEntity, type RefundRow } from './refund-entity.ts'
import {
  type RefundReport,
  type RefundTransition,
  refundEvent,
  refundState,
  refundTransition,
} from './refund-states.ts'
import { startRefund } from './start-refund.ts'

/** The database transaction and logger that a report of the acquirer is applied with. */
export interface ReportContext {
  tx: Tx
  emit: Emit
  logger: Logger
}

/**
 * Applies the acquirer's report about a refund in the caller's transaction, by `refund-states.ts`.
 * Changes the refund, its transaction and the ledger, and emits events. Throws a `Contradiction` if
 * the report does not fit what is stored, or a 503 if it may fit later. `sentAt` is when a notification was sent.
 */
export async function resolveRefund(
  { tx, emit, logger }: ReportContext,
  id: RefundRow['id'],
  report: RefundReport,
  sentAt = new Date(),
): Promise<void> {
  const { transaction_id } = await tx.findOneOrFail(RefundEntity, { id })
  const row = await lockRow(tx, TransactionEntity, transaction_id)
  const refund = await lockRow(tx, RefundEntity, id)
  const now = new Date()
  const locked = { tx, emit, row, now }
  const transition = refundTransition(refundState(refund), refundEvent(report))
  if (transition === 'ignore') return
  if (transition === 'contradiction')
    throw new Contradiction(`Refund ${id} is ${refund.status}, and the acquirer says ${report.status}.`)
  const hasFailed = refund.status === 'failed'
  if (transition.to === 'completed' && (hasFailed || refund.by_hand)) await requireNewest(tx, refund, sentAt)
  if (transition.to === 'completed' && hasFailed) await endOtherRefund({ logger }, locked, refund, sentAt)
  refund.updated_at = now
  if ('acquirer_reference' in report) refund.acquirer_reference ??= report.acquirer_reference
  if (transition.follow_up === 'request_again') refund.asked_at = null
  if (transition.follow_up && transition.follow_up !== 'new_refund') return checkLater(refund, now)
  refund.next_check_at = null
  if (transition.to !== 'manual') refund.status = transition.to
  if (transition.to === 'completed') return completeRefund(locked, refund)
  refund.failure_reason = report.status === 'failed' ? (report.failure_reason ?? null) : null
  if (transition.to === 'manual') return requireManualRefund(logger, locked, refund)
  await failRefund(locked, refund, transition)
}

/** A refund that was reported as failed may still complete, unless the acquirer sent the notification of its failure later. */
async function requireNewest(tx: Tx, { id }: RefundRow, sentAt: Date): Promise<void> {
  if (await hasLaterNotification(tx, { type: 'refund', subject: id, sentAt, status: 'failed' }))
    throw new Contradiction(`Refund ${id} was reported as failed later than as completed.`)
}

/**
 * Ends the other refund that was started after this one failed, unless the acquirer may still complete that one. If it did, both
 * have returned the money.
 */
async function endOtherRefund(
  { logger }: Pick<ReportContext, 'logger'>,
  { tx, row: { refund_id, refund_status }, now }: LockedTransaction,
  refund: RefundRow,
  sentAt: Date,
): Promise<void> {
  if (!refund_id || refund_id === refund.id || refund_status === 'failed') return
  const other = await lockRow(tx, RefundEntity, refund_id as RefundRow['id'])
  if (refund_status === 'completed')
    throw new Contradiction(
      `Refund ${refund.id} failed and ${other.id} completed, and the acquirer says that both did.`,
    )
  if (other.asked_at && !other.by_hand) {
    const reason = `Refund ${refund.id} failed and ${other.id} is processing, and the acquirer says completed.`
    throw notYet(reason, { sentAt, storedAt: other.asked_at })
  }
  const fields = { refund_id: other.id, completed: refund.id }
  if (other.by_hand) logger.warn(fields, 'a manual refund is not due any more: another one completed')
  other.status = 'failed'
  other.by_hand = false
  other.next_check_at = null
  other.updated_at = now
  // It is written first: a unique index allows one completed or processing refund per payment.
  await tx.flush()
}

/** Completes a refund. Its postings don't return the fee. */
async function completeRefund(locked: LockedTransaction, refund: RefundRow): Promise<void> {
  const { tx, row, now } = locked
  refund.by_hand = false
  refund.failure_reason = null
  row.manual_refund = false
  row.refund_id = refund.id
  row.refund_status = refund.status
  row.refunded_at = now
  const position = await lockPosition(tx, row.id)
  const postings = refundPostings(position, BigInt(row.amount_cents))
  postToPosition(tx, position, postings, { now, source_id: refund.id })
  if (!transitionTransaction(locked, 'refund'))
    throw new Error(`Transaction ${row.id} is ${row.status} and was refunded.`)
}

async function failRefund(
  { tx, emit, row, now }: LockedTransaction,
  refund: RefundRow,
  { emits, follow_up }: RefundTransition,
): Promise<void> {
  for (const name of emits) {
    row.refund_status = refund.status
    row.updated_at = now
    emit(name, row)
  }
  if (follow_up !== 'new_refund') return
  // The failed refund is written first: a unique index allows one processing refund per payment.
  await tx.flush()
  const checkCount = refund.check_count + 1
  const { owed, payment_key: paymentKey } = refund
  await startRefund(tx, row, { owed, paymentKey, checkCount, startsAt: nextCheckAt(checkCount, now) })
}

function requireManualRefund(logger: Logger, { row, now }: LockedTransaction, refund: RefundRow): void {
  refund.by_hand = true
  row.manual_refund = true
  row.updated_at = now
  const { id, transaction_id, failure_reason: reason } = refund
  logger.warn({ refund_id: id, transaction_id, reason }, 'manual refund due: the acquirer cannot return this payment')
}
