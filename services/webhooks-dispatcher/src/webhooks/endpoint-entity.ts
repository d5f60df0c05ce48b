import type { RowOf, webhooks } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Webhook = RowOf<typeof webhooks>

/** A merchant's webhook endpoint. Its secrets are sealed; only the sender opens them. */
export const EndpointEntity = defineEntity({
  name: 'Endpoint',
  tableName: 'endpoints',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    url: p.text(),
    events: p.array<string>(),
    status: p.text().$type<Webhook['status']>(),
    disabled_reason: p.text().$type<DisabledReason>().strictNullable(),
    secret: p.text(),
    secret_masked: p.text(),
    /** The secret before the newest rotation, and until when it signs as well. */
    previous_secret: p.text().strictNullable(),
    previous_secret_until: p.datetime(3).strictNullable(),
    description: p.text().strictNullable(),
    /** How many of the newest deliveries ended used up, without one in between that succeeded. */
    exhausted_in_a_row: p.integer(),
    last_delivery_at: p.datetime(3).strictNullable(),
    last_delivery_status: p.text().$type<'succeeded' | 'failed'>().strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

/** Why an endpoint was disabled by itself: it answered 410, or too many deliveries in a row were used up. */
export type DisabledReason = 'gone' | 'deliveries_exhausted'

export type EndpointRow = InferEntity<typeof EndpointEntity>
