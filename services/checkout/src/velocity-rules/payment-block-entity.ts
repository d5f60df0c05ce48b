import type { Id, PayableId, VelocityRule } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A rule that blocks the payments of a subject for a while. */
export const PaymentBlockEntity = defineEntity({
  name: 'PaymentBlock',
  tableName: 'payment_blocks',
  properties: {
    id: p.text().$type<Id<'pbl'>>().primary(),
    rule: p.text().$type<VelocityRule>(),
    /** A session, link or merchant by its id, an address or a card by its digest. */
    subject: p.text(),
    /** The payment that exceeded the limit. */
    payable_id: p.text().$type<PayableId>(),
    merchant_id: p.text().$type<Id<'mrc'>>(),
    correlation_id: p.text().$type<Id<'corr'>>(),
    /** The limit as it was then. */
    max_attempts: p.integer(),
    window_seconds: p.integer(),
    created_at: p.datetime(3),
    ends_at: p.datetime(3),
    lifted_at: p.datetime(3).strictNullable(),
  },
})

export type PaymentBlockRow = InferEntity<typeof PaymentBlockEntity>

/** The condition that a block is in force at a time. */
export const inForce = 'lifted_at is null and ends_at > ?'
