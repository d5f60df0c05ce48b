import type { EventData } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { LinkEntity } from './link-entity.ts'
import { lockPayable } from './lock-payable.ts'
import { isLink, touch } from './payable.ts'
import { SessionEntity } from './session-entity.ts'

type Refunded = Pick<EventData<'payment.refunded'>, 'payment_intent_id' | 'refunded_at'>

/**
 * Notes on a session or link that what was paid there has gone back, for good: no dispute that is won changes that. What was
 * entered by hand, and money that came late, was paid at none.
 */
export async function markPayableRefunded(tx: Tx, { payment_intent_id, refunded_at }: Refunded): Promise<void> {
  if (payment_intent_id === null) return
  const paid =
    (await tx.findOne(SessionEntity, { payment_intent_id })) ?? (await tx.findOne(LinkEntity, { payment_intent_id }))
  if (!paid) return
  const payable = await lockPayable(tx, paid.id)
  const now = new Date()
  payable.refunded_at = refunded_at ?? now
  if (!isLink(payable) && payable.status === 'completed') payable.transaction_status = 'Refunded'
  touch(payable, now)
}
