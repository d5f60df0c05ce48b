import type { RowOf, webhooks } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { DeliveryStatus } from '../delivery-queue/delivery-states.ts'

type Webhook = RowOf<typeof webhooks>

/** A webhook endpoint of a merchant. Its secrets are encrypted. Only the sender decrypts them. */
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
    /** The secret from before the newest rotation, and the time until which it also signs. */
    previous_secret: p.text().strictNullable(),
    previous_secret_until: p.datetime(3).strictNullable(),
    description: p.text().strictNullable(),
    /** How many deliveries in a row were exhausted, without a success in between. */
    exhausted_in_a_row: p.integer(),
    last_delivery_at: p.datetime(3).strictNullable(),
    last_delivery_status: p.text().$type<Extract<DeliveryStatus, 'succeeded' | 'failed'>>().strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

/** Why the service disabled an endpoint: it answered 410, or too many deliveries in a row were exhausted. */
export type DisabledReason = 'gone' | 'deliveries_exhausted'

export type EndpointRow = InferEntity<typeof EndpointEntity>
