import { type Emit, findRow, type Tx } from '@cobro/database'
import { lockPayable } from '../payables/lock-payable.ts'
import type { Payable } from '../payables/payable.ts'
import { applyAttemptStep } from './apply-attempt-step.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { attemptStep } from './payment-attempt-states.ts'

/** Why a command was never sent, and the reason that is stored. */
const reasons = { unsent: 'processing_error', refused: 'rate_limited' } as const

/**
 * Fails a never-sent attempt, and returns its locked session or link. Emits `payment.failed` unless a rule refused it: no other
 * service knows of the attempt.
 */
export async function failUnsentAttempt(
  tx: Tx,
  emit: Emit,
  { payment_intent_id, number, payable_id }: PaymentAttemptRow,
  event: keyof typeof reasons = 'unsent',
): Promise<Payable> {
  const payable = await lockPayable(tx, payable_id)
  const attempt = await findRow(tx, PaymentAttemptEntity, { payment_intent_id, number })
  if (!attempt) throw new Error(`Attempt ${number} of ${payment_intent_id} does not exist.`)
  const step = attemptStep(attempt.status, event)
  // Once transactions has been asked to resolve the attempt, its answer counts.
  if (!step || step === 'ignore' || attempt.resolve_count > 0) return payable
  const outcome = { decline_reason: reasons[event], transaction_id: null }
  applyAttemptStep(emit, { payable, attempt, step, outcome, now: new Date() })
  return payable
}
