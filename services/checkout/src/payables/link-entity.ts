import type { paymentLinks, RowOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { payableColumns } from './payable-columns.ts'

type Shown = RowOf<typeof paymentLinks>

/** A payment link. */
export const LinkEntity = defineEntity({
  name: 'PaymentLink',
  tableName: 'payment_links',
  properties: {
    ...payableColumns<Shown['id']>(),
    status: p.text().$type<Shown['status']>(),
    concepto: p.text(),
    reference: p.text().strictNullable(),
    amount_cents: p.bigint('number'),
    payment_method_types: p.json<Shown['payment_method_types']>(),
    payer_email: p.text().strictNullable(),
    metadata: p.json<Shown['metadata']>().strictNullable(),
    /** Declined attempts since the link was last blocked: ten block it again. */
    decline_count: p.integer(),
    blocked_until: p.datetime(3).strictNullable(),
    updated_at: p.datetime(3),
    paid_at: p.datetime(3).strictNullable(),
  },
})

export type LinkRow = InferEntity<typeof LinkEntity>
