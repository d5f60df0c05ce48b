import type { paymentLinks, RowOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Shown = RowOf<typeof paymentLinks>

/** A payment link. */
export const LinkEntity = defineEntity({
  name: 'PaymentLink',
  tableName: 'payment_links',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    /** The merchant's name at creation, for pages that are opened before the copy of the merchant arrives. */
    merchant_name: p.text(),
    correlation_id: p.text(),
    /** The trace context in which it was created. */
    traceparent: p.text().strictNullable(),
    payment_intent_id: p.text(),
    url: p.text(),
    status: p.text().$type<Shown['status']>(),
    transaction_id: p.text().strictNullable(),
    concepto: p.text(),
    reference: p.text().strictNullable(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    payment_method_types: p.json<Shown['payment_method_types']>(),
    payer_email: p.text().strictNullable(),
    metadata: p.json<Shown['metadata']>().strictNullable(),
    /** The number of the last attempt. */
    attempt_count: p.integer(),
    /** Declined attempts since the link was last blocked: ten block it again. */
    decline_count: p.integer(),
    blocked_until: p.datetime(3).strictNullable(),
    viewed_at: p.datetime(3).strictNullable(),
    /** When `payment.duplicate` was last emitted. */
    duplicate_told_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    expires_at: p.datetime(3),
    paid_at: p.datetime(3).strictNullable(),
    /** When the payment was refunded. The refund's event may arrive before the payment's. */
    refunded_at: p.datetime(3).strictNullable(),
  },
})

export type LinkRow = InferEntity<typeof LinkEntity>
