import type { checkoutSessions, RowOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { payableColumns } from './payable-columns.ts'

type Shown = RowOf<typeof checkoutSessions>

/** A hosted checkout session. */
export const SessionEntity = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_sessions',
  properties: {
    ...payableColumns<Shown['id']>(),
    payment_id: p.bigint('number'),
    status: p.text().$type<Shown['status']>(),
    transaction_status: p.text().$type<Shown['transaction_status']>(),
    amount_total: p.bigint('number'),
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
    /** Declined attempts. Technical failures do not count. */
    decline_count: p.integer(),
    modified_at: p.datetime(3),
  },
})

export type SessionRow = InferEntity<typeof SessionEntity>
