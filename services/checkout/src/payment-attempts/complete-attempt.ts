import type { EventData } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { lockPayable } from '../payables/lock-payable.ts'
import { applyAttemptStep } from './apply-attempt-step.ts'
import { PaymentAttemptEntity } from './payment-attempt-entity.ts'
import { attemptStep } from './payment-attempt-states.ts'

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
): Promise<void> {
  const key = { payment_intent_id: outcome.payment_intent_id, number: outcome.attempt }
  const label = `Attempt ${key.number} of ${key.payment_intent_id}`
  const found = await tx.findOne(PaymentAttemptEntity, key)
  if (!found) throw new Error(`${label} does not exist.`)
  updateCallContext(found)
  const payable = await lockPayable(tx, found.payable_id)
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const attempt = await tx.findOneOrFail(PaymentAttemptEntity, key, lock)
  const step = attemptStep(attempt.status, outcome.status)
  if (step === 'ignore') return
  if (!step) throw new Error(`${label} is ${attempt.status} and cannot become ${outcome.status}.`)
  applyAttemptStep(emit, { payable, attempt, step, outcome, now: new Date() })
}
