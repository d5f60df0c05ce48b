import type { disputes, Id, RowOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Dispute = RowOf<typeof disputes>

/** A payment that its cardholder disputes. */
export const DisputeEntity = defineEntity({
  name: 'Dispute',
  tableName: 'disputes',
  properties: {
    id: p.text().$type<Dispute['id']>().primary(),
    merchant_id: p.text().$type<Dispute['merchant_id']>(),
    correlation_id: p.text().$type<Id<'corr'>>(),
    transaction_id: p.text().$type<Dispute['transaction_id']>(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    reason: p.text(),
    network_reason_code: p.text().strictNullable(),
    status: p.text().$type<Dispute['status']>(),
    evidence: p.json<Dispute['evidence']>().strictNullable(),
    /** The acquirer's own id of the dispute; null when it was opened through the API. */
    acquirer_reference: p.text().strictNullable(),
    /** When the acquirer reported the outcome (the time of its notification); null before that. */
    told_at: p.datetime(3).strictNullable(),
    due_by: p.datetime(3).strictNullable(),
    opened_at: p.datetime(3),
    resolved_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).strictNullable(),
  },
})

export type DisputeRow = InferEntity<typeof DisputeEntity>
