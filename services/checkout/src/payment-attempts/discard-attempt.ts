import type { Database } from '@cobro/database'
import { lockPayable } from '../payables/lock-payable.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { discardableStatuses } from './payment-attempt-states.ts'

/** Deletes an attempt with an unreadable card, so it does not count. Keeps one being resolved. */
export async function discardAttempt(db: Database, attempt: PaymentAttemptRow): Promise<void> {
  const { payment_intent_id, number, payable_id } = attempt
  await db.write(async tx => {
    const payable = await lockPayable(tx, payable_id)
    const guard = { payment_intent_id, number, status: { $in: discardableStatuses }, resolve_count: 0 }
    payable.attempt_count -= await tx.nativeDelete(PaymentAttemptEntity, guard)
  })
}
