import type { EventData } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { lockPayable } from '../payables/lock-payable.ts'
import { isLink, isOpen, type Payable, touch } from '../payables/payable.ts'
import { transitionPayable } from '../payables/transition-payable.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { blockedMs, declineLimit } from './payment-limits.ts'

type Settled = EventData<'payment_attempt.settled'>

/**
 * Takes an attempt's outcome over into its session or link, in the caller's transaction. Both the event and the reply to the charge
 * command come here under one message id, so whichever is first settles the attempt. A second, different outcome is a
 * fault that nobody may paper over: it is thrown, so that the message is dead-lettered.
 */
export async function completeAttempt(tx: Tx, emit: Emit, outcome: Settled): Promise<void> {
  const { payment_intent_id, attempt: number } = outcome
  const known = await tx.findOne(PaymentAttemptEntity, { payment_intent_id, number })
  if (!known) throw new Error(`There is no attempt ${number} of ${payment_intent_id}.`)
  updateCallContext(known)
  const payable = await lockPayable(tx, known.payable_id)
  const attempt = await tx.findOneOrFail(
    PaymentAttemptEntity,
    { payment_intent_id, number },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  if (attempt.status === outcome.status) return
  // Messages may overtake one another: a voucher that was paid has been issued before.
  if (outcome.status === 'pending' && attempt.status !== 'running') return
  if (attempt.status !== 'running' && attempt.status !== 'pending') {
    throw new Error(
      `Attempt ${number} of ${payment_intent_id} is ${attempt.status} and cannot become ${outcome.status}.`,
    )
  }
  const now = new Date()
  const hadVoucher = attempt.status === 'pending'
  noteOutcome(attempt, outcome, now)
  if (outcome.status === 'approved') completePayable(emit, payable, { outcome, hadVoucher }, now)
  else if (outcome.status === 'pending') awaitCash(payable, outcome, now)
  else noteFailure(emit, payable, outcome.status, now)
}

/** Ends an attempt that was surely never sent, and tells the merchant: nobody else will. */
export async function failUnsentAttempt(
  tx: Tx,
  emit: Emit,
  key: { payment_intent_id: string; number: number; payable_id: string },
): Promise<void> {
  const payable = await lockPayable(tx, key.payable_id)
  const attempt = await tx.findOneOrFail(PaymentAttemptEntity, {
    payment_intent_id: key.payment_intent_id,
    number: key.number,
  })
  // Once transactions was asked about it, the outcome is theirs to tell.
  if (attempt.status !== 'running' || attempt.resolve_count > 0) return
  const now = new Date()
  noteOutcome(attempt, { status: 'failed', decline_reason: 'processing_error', transaction_id: null }, now)
  noteFailure(emit, payable, 'failed', now)
  emit('payment.failed', payable)
}

function noteOutcome(
  attempt: PaymentAttemptRow,
  outcome: Pick<Settled, 'status' | 'decline_reason' | 'voucher'> & { transaction_id: string | null },
  now: Date,
): void {
  if (outcome.voucher) attempt.voucher = { ...outcome.voucher, due_at: outcome.voucher.due_at.toISOString() }
  attempt.status = outcome.status
  attempt.decline_reason = outcome.decline_reason
  attempt.transaction_id = outcome.transaction_id
  attempt.resolve_at = null
  attempt.settled_at = now
}

/**
 * An approval completes a session or link even past its expiry: no sweeper touches it while an attempt runs. A voucher freezes
 * nothing, so cash may come in while its session is being cancelled: that stays cancelled, and transactions, which hears of
 * the cancel as well, gives the money back.
 */
function completePayable(
  emit: Emit,
  payable: Payable,
  { outcome, hadVoucher }: { outcome: Settled; hadVoucher: boolean },
  now: Date,
): void {
  if (hadVoucher && !isOpen(payable)) return
  payable.transaction_id = outcome.transaction_id
  if (!transitionPayable(emit, payable, 'complete', now)) {
    throw new Error(`${payable.id} is ${payable.status} and cannot take the approval of ${outcome.transaction_id}.`)
  }
}

/** The payer has as long as the voucher is good for, however long it was before. */
function awaitCash(payable: Payable, { voucher }: Settled, now: Date): void {
  if (voucher) payable.expires_at = voucher.due_at
  if (!isLink(payable)) payable.transaction_status = 'Pending'
  touch(payable, now)
}

const shownStatus = { declined: 'Declined', failed: 'Failed', expired: 'Pending', cancelled: 'Pending' } as const

/** A voucher that ended by itself leaves the session or link open: its own expiry comes by its own clock. */
function noteFailure(emit: Emit, payable: Payable, status: keyof typeof shownStatus, now: Date): void {
  if (!isOpen(payable)) return
  if (!isLink(payable)) payable.transaction_status = shownStatus[status]
  touch(payable, now)
  if (status !== 'declined') return
  payable.decline_count += 1
  if (payable.decline_count < declineLimit) return
  if (!isLink(payable)) return void transitionPayable(emit, payable, 'cancel', now)
  payable.decline_count = 0
  payable.blocked_until = new Date(now.getTime() + blockedMs)
}
