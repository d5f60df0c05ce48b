import type { DisputeState } from '@cobro/acquirer'
import { ApiError, maskCardNumbers } from '@cobro/contracts'
import { lockRow, type Tx } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { Contradiction, notYet } from '../acquirer/contradiction.ts'
import { hasLaterNotification } from '../acquirer/later-notification.ts'
import { DisputeEntity, type DisputeRow } from '../disputes/dispute-entity.ts'
import { disputeTransition, stageOf } from '../disputes/dispute-states.ts'
import { correctDisputedAmount } from '../disputes/post-dispute.ts'
import { recordDispute, transitionDispute } from '../disputes/transition-dispute.ts'
import type { ReportContext } from '../refunds/resolve-refund.ts'
import { findTransactionByAcquirerKey } from '../transactions/acquirer-key.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import type { LockedTransaction } from '../transactions/transition-transaction.ts'

/**
 * Applies the acquirer's notification of a dispute, sent at `sentAt`. Notifications may arrive in
 * any order: an opening that follows the outcome changes nothing, and of two openings or outcomes the one sent later stands. A
 * dispute that an operator opened before is matched and updated. Returns false when the charge is unknown.
 */
export async function applyDisputeNotification(
  { tx, emit, logger }: ReportContext,
  reported: DisputeState,
  sentAt: Date,
): Promise<boolean> {
  const attempt = await findTransactionByAcquirerKey(tx, reported.charge_key)
  if (!attempt) return false
  updateCallContext(attempt)
  const locked = await lockRow(tx, TransactionEntity, attempt.id)
  const late = await tx.findOne(TransactionEntity, { late_payment_of: attempt.id })
  const row = late ? await lockRow(tx, TransactionEntity, late.id) : locked
  if (!row.captured_at) throw notCaptured(row, sentAt)
  const known = await findDispute(tx, row, reported)
  requireConsistent(row, known, reported)
  const disputed = { tx, emit, row, now: new Date() }
  if (!known) {
    const { reference, charge_key: _key, ...terms } = reported
    const reason = maskCardNumbers(terms.reason)
    const told_at = reported.status === 'open' ? null : sentAt
    await recordDispute(disputed, { ...terms, reason, told_at, acquirer_reference: reference })
    return true
  }
  if (!(await updateDispute(disputed, known, reported, sentAt))) {
    const { id, status } = known
    const fields = { dispute_id: id, status, reported: reported.status }
    logger.info(fields, 'an acquirer notification did not change the dispute')
  }
  return true
}

/** Updates a known dispute. Returns false when nothing changes or a later outcome is stored. */
async function updateDispute(disputed: LockedTransaction, known: DisputeRow, reported: DisputeState, sentAt: Date) {
  const { tx, emit, now } = disputed
  const { told_at } = known
  if (told_at && (told_at > sentAt || reported.status === 'open')) return false
  if (reported.status === 'open' && (await hasNewerOpening(tx, reported, sentAt))) return false
  const adopted = known.acquirer_reference == null
  const corrected = known.amount_cents !== reported.amount_cents
  known.acquirer_reference = reported.reference
  known.due_by = reported.due_by ?? known.due_by
  if (reported.status !== 'open') known.told_at = sentAt
  const stage = stageOf[known.status]
  if (corrected) await correctDisputedAmount(tx, known, { amount_cents: reported.amount_cents, stage, now })
  if (disputeTransition(known.status, reported.status, 'acquirer')) {
    await transitionDispute(disputed, known, reported.status, 'acquirer')
    return true
  }
  if (!corrected && !adopted) return false
  known.updated_at = now
  emit('dispute.updated', known)
  return true
}

/** The acquirer may report the approval later, also of a charge that was declined. */
function notCaptured({ id, status, updated_at }: TransactionRow, sentAt: Date): Error {
  const reason = `Transaction ${id} is ${status}, and the acquirer says that it is disputed.`
  return status === 'pending' ? new ApiError('unavailable', reason) : notYet(reason, { sentAt, storedAt: updated_at })
}

function hasNewerOpening(tx: Tx, { reference, charge_key, currency }: DisputeState, sentAt: Date): Promise<boolean> {
  return hasLaterNotification(tx, { type: 'dispute', subject: reference, sentAt, status: 'open', charge_key, currency })
}

/**
 * Finds the dispute by the acquirer's id, or else the one that an operator opened. If that was lost, the acquirer's is another
 * one if it is over another amount, and the payment is large enough for both.
 */
async function findDispute(
  tx: Tx,
  { id: transaction_id, amount_cents: paid_cents }: TransactionRow,
  { reference, amount_cents }: DisputeState,
): Promise<DisputeRow | null> {
  const known = await tx.findOne(DisputeEntity, { acquirer_reference: reference })
  if (known) return known
  const notWon = { status: { $ne: 'won' as const }, deleted_at: null }
  const opened = await tx.findOne(DisputeEntity, { transaction_id, acquirer_reference: null, ...notWon })
  if (!opened || stageOf[opened.status] === 'held' || opened.amount_cents === amount_cents) return opened
  return opened.amount_cents + amount_cents > paid_cents ? opened : null
}

function requireConsistent({ id, currency }: TransactionRow, known: DisputeRow | null, reported: DisputeState): void {
  if (reported.currency !== currency) {
    throw new Contradiction(
      `Transaction ${id} is in ${currency}, and its dispute ${reported.reference} in ${reported.currency}.`,
    )
  }
  if (known && known.transaction_id !== id) {
    throw new Contradiction(
      `Dispute ${reported.reference} belongs to ${known.transaction_id}, but the acquirer names ${id}.`,
    )
  }
}
