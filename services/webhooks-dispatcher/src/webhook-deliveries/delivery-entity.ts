import type { deliveryOperations, ResponseOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Shown = ResponseOf<typeof deliveryOperations.read>['data']

/** The delivery of one event to one endpoint. */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    id: p.text().$type<Shown['id']>().primary(),
    webhook_id: p.text().$type<Shown['webhook_id']>(),
    merchant_id: p.text().$type<Shown['merchant_id']>(),
    event_id: p.text().$type<Shown['event_id']>(),
    event: p.text(),
    /** The URL of the endpoint at the newest attempt. */
    url: p.text(),
    /** Created by a subscription, or requested by a caller for a past event or a test. */
    kind: p.text().$type<'auto' | 'manual' | 'test'>(),
    status: p.text().$type<Shown['status']>(),
    attempt_count: p.integer(),
    next_attempt_at: p.datetime(3).strictNullable(),
    response_status: p.integer().strictNullable(),
    response_body: p.text().strictNullable(),
    correlation_id: p.text().$type<Shown['correlation_id']>().strictNullable(),
    created_at: p.datetime(3),
    /** The time of the newest success. A failed redelivery does not clear it. */
    delivered_at: p.datetime(3).strictNullable(),
    deleted_at: p.datetime(3).strictNullable(),
  },
})

/** An event as it is sent. */
export const SentEventEntity = defineEntity({
  name: 'SentEvent',
  tableName: 'events',
  properties: {
    id: p.text().$type<Shown['event_id']>().primary(),
    merchant_id: p.text().$type<Shown['merchant_id']>(),
    event: p.text(),
    correlation_id: p.text().$type<Shown['correlation_id']>().strictNullable(),
    /** Its number in the feed; null for test events and events from before the feed. */
    sequence: p.bigint('number').strictNullable(),
    /** The exact bytes that are signed and sent, serialized once. */
    body: p.blob().$type<Buffer>(),
    /** The trace the event was received in. */
    trace: p.json<{ traceparent?: string; baggage?: string }>(),
    created_at: p.datetime(3),
  },
})

/** One attempt to send a delivery. `error` explains a missing status code. */
export const WebhookAttemptEntity = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'attempts',
  properties: {
    delivery_id: p.text().$type<Shown['id']>().primary(),
    number: p.integer().primary(),
    at: p.datetime(3),
    duration_ms: p.integer().strictNullable(),
    status_code: p.integer().strictNullable(),
    error: p.text().strictNullable(),
    response_body: p.text().strictNullable(),
  },
})

export type SentEventRow = InferEntity<typeof SentEventEntity>
export type DeliveryRow = InferEntity<typeof DeliveryEntity>
export type WebhookAttemptRow = InferEntity<typeof WebhookAttemptEntity>
