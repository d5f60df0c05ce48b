import type { RefundFailure } from '@cobro/acquirer'
import type { Id, Transaction } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** One attempt to refund a payment. Its id is the acquirer's idempotency key. */
export const RefundEntity = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    id: p.text().$type<Id<'rfd'>>().primary(),
    transaction_id: p.text().$type<Transaction['id']>(),
    merchant_id: p.text().$type<Transaction['merchant_id']>(),
    correlation_id: p.text().$type<Transaction['correlation_id']>(),
    /** The trace context of the request that started the refund. */
    traceparent: p.text().strictNullable(),
    payment_method: p.text().$type<Transaction['payment_method']>(),
    /** The acquirer's idempotency key of the charge or voucher that is refunded. */
    payment_key: p.text(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    status: p.text().$type<NonNullable<Transaction['refund_status']>>(),
    /** A refund of money we should not have taken: unrequested, and retried until returned. */
    owed: p.boolean(),
    /** A manual refund is due: a person has to transfer it, as the acquirer cannot. */
    by_hand: p.boolean(),
    failure_reason: p.text().$type<RefundFailure>().strictNullable(),
    acquirer_reference: p.text().strictNullable(),
    /** The time of the request to the acquirer; null before, or if it was not taken. */
    asked_at: p.datetime(3).strictNullable(),
    next_check_at: p.datetime(3).strictNullable(),
    check_count: p.integer(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type RefundRow = InferEntity<typeof RefundEntity>
