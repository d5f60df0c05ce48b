import type { EventData } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { LinkEntity } from './link-entity.ts'
import { lockPayable } from './lock-payable.ts'
import { isLink, touch } from './payable.ts'
import { SessionEntity } from './session-entity.ts'

type Refund = Pick<EventData<'payment.refunded'>, 'payment_intent_id' | 'refunded_at'>

/**
 * Marks a session or link as refunded for good: a dispute won later does not change that.
 * Transactions that an operator entered or that arrived late belong to no session or link.
 */
export async function markPayableRefunded(tx: Tx, { payment_intent_id, refunded_at }: Refund): Promise<void> {
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
