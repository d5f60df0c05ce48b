import { z } from 'zod'
import { webhookCatalog } from '../events.ts'
import { id } from '../ids.ts'
import { operation } from '../operation.ts'
import { dataOf } from '../pagination.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'
import { webhookDelivery } from './webhook-deliveries.ts'

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
const one = { ...base, params: z.object({ id: id('whk') }) } as const

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
  rotate: operation({
    ...one,
    id: 'rotateWebhookSecret',
    summary: 'Gives a webhook a new secret, shown this once; for a day the old one signs beside it',
    method: 'POST',
    path: '/api/webhooks/:id/rotate',
    body: z.strictObject({}).optional(),
    secret: true,
    response: dataOf(endpoint).extend({ secret: z.string() }),
  }),
  test: operation({
    ...one,
    id: 'testWebhook',
    summary: 'Sends a test delivery, once, whatever events the webhook subscribes to',
    method: 'POST',
    path: '/api/webhooks/:id/test',
    body: z.strictObject({}).optional(),
    status: 202,
    response: dataOf(webhookDelivery),
  }),
}
