import type { EventData, PayableId } from '@cobro/contracts'
import { type Emit, findRow, type Tx } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { lockPayable } from '../payables/lock-payable.ts'
import type { Payable } from '../payables/payable.ts'
import { defaultLimits, type VelocityLimits } from '../velocity-rules/velocity-settings.ts'
import { applyAttemptStep } from './apply-attempt-step.ts'
import { limitDeclines } from './limit-declines.ts'
import { PaymentAttemptEntity, type PaymentAttemptKey, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { attemptStep } from './payment-attempt-states.ts'

/** An attempt and its session or link, as they are once the transaction has committed. */
export interface CompletedAttempt {
  payable: Payable
  attempt: PaymentAttemptRow
}

interface CompletionOptions {
  /** Spares a read. */
  payableId?: PayableId | undefined
  limits?: VelocityLimits
}

/**
 * Applies an attempt's outcome to the attempt and its session or link in the caller's transaction.
 * The event and the command's reply both end here under one message id, so only the first has the effect. Throws if the
 * outcome contradicts an earlier one, which dead-letters the message for an operator. The event's name is part of the
 * contract between services; everywhere else, to settle is to pay out money to a merchant.
 */
export async function completeAttempt(
  tx: Tx,
  emit: Emit,
  outcome: EventData<'payment_attempt.settled'>,
  { payableId, limits = defaultLimits }: CompletionOptions = {},
): Promise<CompletedAttempt> {
  const key = { payment_intent_id: outcome.payment_intent_id, number: outcome.attempt }
  const label = `Attempt ${key.number} of ${key.payment_intent_id}`
  const missing = () => new Error(`${label} does not exist.`)
  const payable_id = payableId ?? (await findPayableId(tx, key, missing))
  const [payable, attempt] = await Promise.all([
    // Sent first, so that it is locked first.
    lockPayable(tx, payable_id),
    // With the payable's id, because a reply names the attempt on its own and must not complete another payment.
    findRow(tx, PaymentAttemptEntity, { ...key, payable_id }, { lock: true }),
  ])
  if (!attempt) throw missing()
  const step = attemptStep(attempt.status, outcome.status)
  if (step === 'ignore') return { payable, attempt }
  if (!step) throw new Error(`${label} is ${attempt.status} and cannot become ${outcome.status}.`)
  const now = new Date()
  applyAttemptStep(emit, { payable, attempt, step, outcome, now })
  if (step.payable === 'count_decline') await limitDeclines(tx, emit, { payable, limit: limits.payable_declines, now })
  return { payable, attempt }
}

async function findPayableId(tx: Tx, key: PaymentAttemptKey, missing: () => Error): Promise<PayableId> {
  const found = await findRow(tx, PaymentAttemptEntity, key)
  if (!found) throw missing()
  updateCallContext(found)
  return found.payable_id
}
