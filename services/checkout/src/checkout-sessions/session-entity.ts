import type { checkoutSession, SessionStatus } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { z } from 'zod'

type Shown = z.output<typeof checkoutSession>

/** A hosted checkout session. */
export const SessionEntity = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_sessions',
  properties: {
    id: p.string().primary(),
    merchant_id: p.string(),
    /** The name at creation, for pages that are opened before the merchant's own copy has arrived. */
    merchant_name: p.string(),
    correlation_id: p.string(),
    payment_intent_id: p.string(),
    payment_id: p.bigint('number'),
    url: p.string(),
    status: p.string().$type<SessionStatus>(),
    transaction_status: p.string().$type<Shown['transaction_status']>(),
    transaction_id: p.string().nullable(),
    amount_total: p.bigint('number'),
    currency: p.string(),
    external_id: p.string().nullable(),
    session_type: p.string().$type<'payment'>(),
    checkout_type: p.string().$type<'hosted'>(),
    return_url: p.string().nullable(),
    success_url: p.string().nullable(),
    cancel_url: p.string().nullable(),
    metadata: p.json<Shown['metadata']>().nullable(),
    payment_method_types: p.json<Shown['payment_method_types']>(),
    ui_config: p.json<Shown['ui_config']>().nullable(),
    ui_config_version: p.string().$type<'V1'>(),
    customer: p.json<Shown['customer']>().nullable(),
    line_items: p.json<Shown['line_items']>(),
    attempt_count: p.integer(),
    viewed_at: p.datetime(3).nullable(),
    duplicate_told_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    modified_at: p.datetime(3),
    expires_at: p.datetime(3),
  },
})

export type SessionRow = InferEntity<typeof SessionEntity>
