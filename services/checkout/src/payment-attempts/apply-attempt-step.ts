import type { EventData, Id } from '@cobro/contracts'
import type { Emit } from '@cobro/database'
import { isLink, isOpen, type Payable, touch } from '../payables/payable.ts'
import { transitionPayable } from '../payables/transition-payable.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'
import type { PaymentAttemptStep } from './payment-attempt-states.ts'

interface Change {
  payable: Payable
  attempt: PaymentAttemptRow
  step: PaymentAttemptStep
  /** An attempt that failed before its command was sent has no transaction. */
  outcome: Pick<EventData<'payment_attempt.settled'>, 'decline_reason' | 'voucher'> & {
    transaction_id: Id<'txn'> | null
  }
  now: Date
}

type Effect = (emit: Emit, change: Change) => void

/** Applies a step to an attempt and to its locked session or link. */
export function applyAttemptStep(emit: Emit, change: Change): void {
  const { payable, attempt, step, outcome, now } = change
  const { voucher, decline_reason, transaction_id } = outcome
  if (voucher) attempt.voucher = { ...voucher, due_at: voucher.due_at.toISOString() }
  attempt.status = step.to
  attempt.decline_reason = decline_reason
  attempt.transaction_id = transaction_id
  attempt.resolve_at = null
  attempt.settled_at = now
  effects[step.payable](emit, change)
  if (step.emits) emit(step.emits, payable)
}

const effects: Record<PaymentAttemptStep['payable'], Effect> = {
  // Even past the expiry: nothing expires while an attempt runs.
  complete: completePayable,
  complete_if_open: (emit, change) => {
    if (isOpen(change.payable)) completePayable(emit, change)
  },
  await_cash: (_emit, change) => {
    // The payer has time until the due date of the voucher, whatever the expiry was before.
    if (change.outcome.voucher) change.payable.expires_at = change.outcome.voucher.due_at
    showTransactionStatus(change)
  },
  // A voucher that expired or was withdrawn leaves the session or link open until its own expiry.
  stay_open: (_emit, change) => {
    if (isOpen(change.payable)) showTransactionStatus(change)
  },
  // What follows at the limit is up to `limitDeclines`.
  count_decline: (_emit, change) => {
    if (!isOpen(change.payable)) return
    showTransactionStatus(change)
    change.payable.decline_count += 1
  },
}

function completePayable(emit: Emit, { payable, outcome: { transaction_id }, now }: Change): void {
  payable.transaction_id = transaction_id
  if (transitionPayable(emit, payable, 'complete', now)) return
  throw new Error(`${payable.id} is ${payable.status} and cannot be completed by transaction ${transaction_id}.`)
}

function showTransactionStatus({ payable, step, now }: Change): void {
  if (!isLink(payable) && step.transaction_status) payable.transaction_status = step.transaction_status
  touch(payable, now)
}
