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
    /** Money that we should not have taken. No caller asked for the refund, and it is retried until the money is returned. */
    owed: p.boolean(),
    /** A manual refund is due: the acquirer cannot return the money, so a person has to transfer it. */
    by_hand: p.boolean(),
    failure_reason: p.text().$type<RefundFailure>().strictNullable(),
    acquirer_reference: p.text().strictNullable(),
    /** When the refund was requested from the acquirer; null before that, or when the request was not taken. */
    asked_at: p.datetime(3).strictNullable(),
    next_check_at: p.datetime(3).strictNullable(),
    check_count: p.integer(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type RefundRow = InferEntity<typeof RefundEntity>
