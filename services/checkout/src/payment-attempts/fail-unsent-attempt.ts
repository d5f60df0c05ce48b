import type { Emit, Tx } from '@cobro/database'
import { lockPayable } from '../payables/lock-payable.ts'
import { applyAttemptStep } from './apply-attempt-step.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { attemptStep } from './payment-attempt-states.ts'

/** Fails a never-sent attempt. Emits `payment.failed`: no other service knows of the attempt. */
export async function failUnsentAttempt(
  tx: Tx,
  emit: Emit,
  { payment_intent_id, number, payable_id }: PaymentAttemptRow,
): Promise<void> {
  const payable = await lockPayable(tx, payable_id)
  const attempt = await tx.findOneOrFail(PaymentAttemptEntity, { payment_intent_id, number })
  const step = attemptStep(attempt.status, 'unsent')
  // Once transactions has been asked to resolve the attempt, its answer counts.
  if (!step || step === 'ignore' || attempt.resolve_count > 0) return
  const outcome = { decline_reason: 'processing_error', transaction_id: null }
  applyAttemptStep(emit, { payable, attempt, step, outcome, now: new Date() })
}
