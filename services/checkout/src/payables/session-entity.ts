import type { checkoutSessions, RowOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Shown = RowOf<typeof checkoutSessions>

/** A hosted checkout session. */
export const SessionEntity = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_sessions',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    /** The merchant's name at creation, for pages that are opened before the copy of the merchant arrives. */
    merchant_name: p.text(),
    correlation_id: p.text(),
    /** The trace context in which it was created. */
    traceparent: p.text().strictNullable(),
    payment_intent_id: p.text(),
    payment_id: p.bigint('number'),
    url: p.text(),
    status: p.text().$type<Shown['status']>(),
    transaction_status: p.text().$type<Shown['transaction_status']>(),
    transaction_id: p.text().strictNullable(),
    /** When the payment was refunded. The refund's event may arrive before the payment's. */
    refunded_at: p.datetime(3).strictNullable(),
    amount_total: p.bigint('number'),
    currency: p.text(),
    external_id: p.text().strictNullable(),
    session_type: p.text().$type<Shown['session_type']>(),
    checkout_type: p.text().$type<Shown['checkout_type']>(),
    return_url: p.text().strictNullable(),
    success_url: p.text().strictNullable(),
    cancel_url: p.text().strictNullable(),
    metadata: p.json<Shown['metadata']>().strictNullable(),
    payment_method_types: p.json<Shown['payment_method_types']>(),
    ui_config: p.json<Shown['ui_config']>().strictNullable(),
    ui_config_version: p.text().$type<Shown['ui_config_version']>(),
    customer: p.json<Shown['customer']>().strictNullable(),
    /** The customer's address as a column of its own, for filters. */
    customer_email: p.text().strictNullable(),
    line_items: p.json<Shown['line_items']>(),
    /** The number of the last attempt. */
    attempt_count: p.integer(),
    /** Declined attempts. Technical failures do not count. */
    decline_count: p.integer(),
    viewed_at: p.datetime(3).strictNullable(),
    /** When `payment.duplicate` was last emitted. */
    duplicate_told_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3),
    modified_at: p.datetime(3),
    expires_at: p.datetime(3),
  },
})

export type SessionRow = InferEntity<typeof SessionEntity>
