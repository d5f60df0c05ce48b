import type { KeyNotFound, KeyReversed, RefundFailure, RefundOutcome } from '@cobro/acquirer'
import type { Emit, Tx } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { postRefund } from '../ledger/post-refund.ts'
import { nextCheckAt } from '../transactions/check-schedule.ts'
import { makeMove } from '../transactions/make-move.ts'
import { lockTransaction } from '../transactions/settle-transaction.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { RefundEntity, type RefundRow } from './refund-entity.ts'
import { startRefund } from './start-refund.ts'

export type RefundNews = RefundOutcome | KeyNotFound | KeyReversed

interface Settling {
  tx: Tx
  emit: Emit
  logger: Logger
}

/**
 * Writes down what a refund came to: both rows and the event in the caller's transaction. Only the acquirer's own refusal is a
 * failure. What surely never reached it is asked for again under the same key, and what was reversed under another one, since
 * the acquirer refuses that key for good. Money that we owe is tried again after any technical failure, and where the acquirer
 * cannot give it back it is marked for somebody to do it by hand. Contradictions are thrown, so that they are logged.
 */
export async function settleRefund({ tx, emit, logger }: Settling, id: string, news: RefundNews): Promise<void> {
  const { transaction_id } = await tx.findOneOrFail(RefundEntity, { id })
  const row = await lockTransaction(tx, transaction_id)
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }
  const refund = await tx.findOneOrFail(RefundEntity, { id }, locked)
  const now = new Date()
  if (refund.status !== 'processing') return refuseContradiction(refund, news)
  // Somebody may have transferred it already: nothing is asked for again, and no other reason changes whose it is.
  if (refund.by_hand && news.status !== 'completed') return
  refund.updated_at = now
  if ('acquirer_reference' in news) refund.acquirer_reference ??= news.acquirer_reference
  if (news.status === 'processing' || news.status === 'not_found') return void askAgain(refund, now)
  if (wasNeverTaken(news)) {
    refund.asked_at = null
    return void askAgain(refund, now)
  }
  refund.next_check_at = null
  if (news.status === 'completed') return completeRefund(tx, emit, { refund, row, now })
  const reason = news.status === 'failed' ? (news.failure_reason ?? null) : null
  refund.failure_reason = reason
  if (refund.owed && reason) return void leaveToHand(logger, refund, reason)
  refund.status = 'failed'
  if (news.status === 'failed') {
    row.refund_status = 'failed'
    row.updated_at = now
    emit('payment.refund_failed', row)
    if (!refund.owed) return
  }
  // The failed one has to be written first: only one refund of a payment may live.
  await tx.flush()
  const checkCount = refund.check_count + 1
  const { owed, payment_key: paymentKey } = refund
  await startRefund(tx, row, { owed, paymentKey, checkCount, startsAt: nextCheckAt(checkCount, now) })
}

/** The acquirer gave it no name and no reason: it could not be reached, or turned the request away at the door. */
function wasNeverTaken(news: RefundNews): boolean {
  return news.status === 'failed' && news.acquirer_reference === null && !news.failure_reason
}

async function completeRefund(
  tx: Tx,
  emit: Emit,
  { refund, row, now }: { refund: RefundRow; row: TransactionRow; now: Date },
): Promise<void> {
  refund.status = 'completed'
  refund.by_hand = false
  row.refund_status = 'completed'
  row.refunded_at = now
  await postRefund(tx, row, refund.id, now)
  if (!makeMove(emit, row, 'refund', now)) throw new Error(`Transaction ${row.id} is ${row.status} and was refunded.`)
}

function askAgain(refund: RefundRow, now: Date): void {
  refund.check_count += 1
  refund.next_check_at = nextCheckAt(refund.check_count, now)
}

function leaveToHand(logger: Logger, refund: RefundRow, reason: RefundFailure): void {
  refund.by_hand = true
  const { id, transaction_id } = refund
  logger.warn({ refund_id: id, transaction_id, reason }, 'money that is owed has to be given back by hand')
}

function refuseContradiction({ id, status }: RefundRow, news: RefundNews): void {
  const told = news.status === 'reversed' ? 'failed' : news.status
  if ((told === 'completed' || told === 'failed') && told !== status) {
    throw new Error(`Refund ${id} is ${status}, and the acquirer says ${told}.`)
  }
}
