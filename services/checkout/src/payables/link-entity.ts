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
    /** The name at creation, for pages that are opened before the merchant's own copy has arrived. */
    merchant_name: p.text(),
    correlation_id: p.text(),
    /** Where in which trace it was opened. */
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
    /** Numbers the attempts. */
    attempt_count: p.integer(),
    /** Since the link was last blocked: ten block it again. */
    decline_count: p.integer(),
    blocked_until: p.datetime(3).strictNullable(),
    viewed_at: p.datetime(3).strictNullable(),
    duplicate_told_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    expires_at: p.datetime(3),
    paid_at: p.datetime(3).strictNullable(),
    /** When its money went back. This may be heard of before the payment is. */
    refunded_at: p.datetime(3).strictNullable(),
  },
})

export type LinkRow = InferEntity<typeof LinkEntity>
