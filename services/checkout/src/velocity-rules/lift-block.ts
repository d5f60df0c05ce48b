import type { Caller, Id } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { lockPayable } from '../payables/lock-payable.ts'
import { isLink, touch } from '../payables/payable.ts'
import { PaymentBlockEntity, type PaymentBlockRow } from './payment-block-entity.ts'

/**
 * Lifts a block that is in force, so that its rule counts from zero: the counts begin after the newest `lifted_at`.
 * Locks the session or link first, as payments do.
 */
export function liftBlock(db: Database, caller: Caller, id: Id<'pbl'>): Promise<PaymentBlockRow> {
  return db.write(async (tx, emit) => {
    const { payable_id } = await getRow(tx, PaymentBlockEntity, caller, id)
    const payable = await lockPayable(tx, payable_id)
    const block = await getRow(tx, PaymentBlockEntity, caller, id, { lock: true })
    const now = new Date()
    if (block.lifted_at || block.ends_at <= now) return block
    block.lifted_at = now
    if (block.subject === payable_id && isLink(payable)) {
      payable.blocked_until = null
      payable.decline_count = 0
      touch(payable, now)
    }
    emit('payment.unblocked', { ...block, id: payable_id, block_id: id })
    return block
  })
}
