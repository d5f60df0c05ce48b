import { z } from 'zod'
import { webhookCatalog } from '../events.ts'
import { id } from '../ids.ts'
import { dataOf, listOf, listQuery } from '../lists.ts'
import { operation } from '../operation.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'

const url = z.string().min(1).max(2048)
const eventName = z.string().refine(name => name === '*' || Object.hasOwn(webhookCatalog, name), {
  error: 'expected a name from the event catalog, or *',
})
const events = z.array(eventName).min(1).max(50)
const description = z.string().max(250).nullable().optional()
const status = z.enum(['active', 'disabled'])

const endpoint = z.object({
  id: id('whk'),
  merchant_id: id('mrc'),
  url,
  events: z.array(z.string()),
  status,
  disabled_reason: z.string().nullable(),
  secret_masked: z.string(),
  description: z.string().nullable(),
  last_delivery_at: isoTime.nullable(),
  last_delivery_status: z.string().nullable(),
  created_at: isoTime,
  updated_at: isoTime,
})

/** A merchant's webhook endpoint. Its creation alone answers flat and with the secret. */
export const webhooks = resource({
  kind: 'webhook',
  plural: 'webhooks',
  prefix: 'whk',
  service: 'webhooks-dispatcher',
  path: '/api/webhooks',
  row: endpoint,
  create: z.strictObject({ url, events, description }),
  update: z.strictObject({ url: url.optional(), events: events.optional(), status: status.optional(), description }),
  filters: { status },
  order: ['created_at', 'updated_at', 'status', 'last_delivery_at'],
  search: ['url', 'description'],
})

const base = { service: 'webhooks-dispatcher', tenant: true } as const

export const deliveryStatuses = ['pending', 'delivering', 'succeeded', 'failed', 'exhausted', 'cancelled'] as const

const deliveryAttempt = z.object({
  number: z.int(),
  at: isoTime,
  duration_ms: z.int().nullable(),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  response_body: z.string().nullable(),
})

export const webhookDelivery = z.object({
  id: id('whd'),
  webhook_id: id('whk'),
  merchant_id: id('mrc'),
  event_id: id('evt'),
  event: z.string(),
  url: z.string(),
  payload: z.string(),
  status: z.enum(deliveryStatuses),
  attempt_count: z.int(),
  next_attempt_at: isoTime.nullable(),
  response_status: z.int().nullable(),
  response_body: z.string().nullable(),
  correlation_id: z.string().nullable(),
  created_at: isoTime,
  delivered_at: isoTime.nullable(),
  attempts: z.array(deliveryAttempt),
})

export const webhookOperations = {
  create: operation({
    ...webhooks.operations.create,
    secret: true,
    response: endpoint.pick({ id: true, url: true, events: true, status: true }).extend({ secret: z.string() }),
  }),
  catalog: operation({
    ...base,
    id: 'listWebhookEvents',
    summary: 'The catalog of events that a webhook may subscribe to',
    method: 'GET',
    path: '/api/webhooks/events',
    tenant: false,
    response: z.object({ data: z.array(z.object({ event: z.string(), description: z.string(), object: z.string() })) }),
  }),
  deliveries: operation({
    ...base,
    id: 'listWebhookDeliveries',
    summary: 'Lists deliveries with their attempts',
    method: 'GET',
    path: '/api/webhook-deliveries',
    query: listQuery({
      order: ['created_at', 'status', 'next_attempt_at', 'delivered_at'],
      filters: {
        webhook_id: id('whk'),
        event: z.string().max(100),
        status: z.enum(deliveryStatuses),
        event_id: id('evt'),
        correlation_id: id('corr'),
      },
      search: false,
    }),
    response: listOf(webhookDelivery),
  }),
  delivery: operation({
    ...base,
    id: 'getWebhookDelivery',
    summary: 'Reads a delivery with its attempts',
    method: 'GET',
    path: '/api/webhook-deliveries/:id',
    params: z.object({ id: id('whd') }),
    response: dataOf(webhookDelivery),
  }),
}
