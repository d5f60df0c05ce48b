import type { RowOf, webhooks } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Webhook = RowOf<typeof webhooks>

/** A webhook endpoint of a merchant. Its secrets are encrypted. Only the sender decrypts them. */
export const EndpointEntity = defineEntity({
  name: 'Endpoint',
  tableName: 'endpoints',
  properties: {
    id: p.text().$type<Webhook['id']>().primary(),
    merchant_id: p.text().$type<Webhook['merchant_id']>(),
    url: p.text(),
    events: p.array<string>(),
    status: p.text().$type<Webhook['status']>(),
    disabled_reason: p.text().$type<Webhook['disabled_reason']>().strictNullable(),
    secret: p.text(),
    secret_masked: p.text(),
    /** The secret from before the newest rotation, and the time until which it also signs. */
    previous_secret: p.text().strictNullable(),
    previous_secret_until: p.datetime(3).strictNullable(),
    description: p.text().strictNullable(),
    /** How many deliveries in a row were exhausted, without a success in between. */
    exhausted_in_a_row: p.integer(),
    last_delivery_at: p.datetime(3).strictNullable(),
    last_delivery_status: p.text().$type<Webhook['last_delivery_status']>().strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type EndpointRow = InferEntity<typeof EndpointEntity>
