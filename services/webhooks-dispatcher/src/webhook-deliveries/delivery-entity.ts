import type { webhookDelivery } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { z } from 'zod'

/** Where a delivery stands. */
export type DeliveryStatus = z.output<typeof webhookDelivery>['status']

/** One event on its way to one endpoint. */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    id: p.text().primary(),
    webhook_id: p.text(),
    merchant_id: p.text(),
    event_id: p.text(),
    event: p.text(),
    /** The endpoint's address at the newest attempt. */
    url: p.text(),
    /** Made by a subscription, or asked for by hand: a past event, or a test. */
    kind: p.text().$type<'auto' | 'manual' | 'test'>(),
    status: p.text().$type<DeliveryStatus>(),
    attempt_count: p.integer(),
    next_attempt_at: p.datetime(3).strictNullable(),
    response_status: p.integer().strictNullable(),
    response_body: p.text().strictNullable(),
    correlation_id: p.text().strictNullable(),
    created_at: p.datetime(3),
    /** When it was last answered with a success, also where a redelivery has failed since. */
    delivered_at: p.datetime(3).strictNullable(),
    deleted_at: p.datetime(3).strictNullable(),
  },
})

/** An event as it is sent: `body` is what was serialised once. */
export const SentEventEntity = defineEntity({
  name: 'SentEvent',
  tableName: 'events',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    event: p.text(),
    correlation_id: p.text().strictNullable(),
    body: p.blob().$type<Buffer>(),
    /** The trace in which the event was received. */
    trace: p.json<{ traceparent?: string; baggage?: string }>(),
    created_at: p.datetime(3),
  },
})

/** One try to hand a delivery over. `error` says why there is no status code. */
export const AttemptEntity = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'attempts',
  properties: {
    delivery_id: p.text().primary(),
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
export type AttemptRow = InferEntity<typeof AttemptEntity>
