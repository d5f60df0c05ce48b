import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { resource } from '../declarations/resource.ts'
import { id } from '../fields/ids.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { isoTime, maybeIsoTime, timestamps } from '../fields/times.ts'
import { webhookCatalog } from '../messages/event-catalog.ts'
import { emptyBody } from '../resources/empty-body.ts'
import { deliveryResponse, endedStatuses } from './webhook-deliveries.ts'

const tag: Tag = { name: 'Webhooks', description: 'Addresses that events are sent to, and the catalog of events.' }

const url = z
  .string()
  .min(1)
  .max(2048)
  .meta({
    id: 'WebhookUrl',
    description: 'The address that events are sent to.',
    examples: ['https://shop.example/hooks'],
  })
const eventName = z.string().refine(name => name === '*' || Object.hasOwn(webhookCatalog, name), {
  error: 'expected a name from the event catalog, or *',
})
const eventsText = {
  description: 'The events that it subscribes to, by name; `*` for all.',
  examples: [['payment.approved', 'payment.refunded']],
}
const events = z.array(eventName).min(1).max(50).meta(eventsText)
const descriptionText = { description: 'A note for people.', examples: ['Orders of the web shop'] }
const description = z.string().max(250).nullable().optional().meta(descriptionText)
const status = z.enum(['active', 'disabled']).describe('A disabled webhook receives nothing.')
const secret = z.string().meta({ description: 'The signing secret. It is shown only here.', examples: ['whsec_…'] })

const endpoint = named(
  'Webhook',
  z
    .object({
      id: id('whk'),
      merchant_id: id('mrc'),
      url,
      events: z.array(z.string()).meta(eventsText),
      status,
      disabled_reason: z
        .string()
        .nullable()
        .meta({ description: 'Why it was disabled automatically; `null` otherwise.', examples: ['too many failures'] }),
      secret_masked: z
        .string()
        .meta({ description: 'The last characters of the signing secret.', examples: ['whsec_…Q2c='] }),
      description: z.string().nullable().meta(descriptionText),
      last_delivery_at: maybeIsoTime.describe('When a delivery was last attempted; `null` for never.'),
      last_delivery_status: z
        .string()
        .nullable()
        .meta({ description: 'How that attempt ended.', examples: ['succeeded'] }),
      ...timestamps,
    })
    .describe("A merchant's webhook endpoint."),
)

/** A merchant's webhook endpoint. Only its creation has a flat response, with the secret. */
export const webhooks = resource({
  type: 'Webhook',
  labels: { one: 'webhook', many: 'webhooks' },
  prefix: 'whk',
  service: 'webhooks-dispatcher',
  path: '/api/webhooks',
  tag,
  audit: 'webhook',
  area: 'webhooks',
  fresh: ['create', 'update'],
  scopeGroup: 'webhooks',
  callers: { read: callerSets.merchants, write: callerSets.merchants },
  emits: {
    create: ['webhook_endpoint.created'],
    update: ['webhook_endpoint.updated', 'webhook_endpoint.disabled', 'webhook.cancelled'],
    delete: ['webhook_endpoint.deleted', 'webhook.cancelled'],
  },
  notes: {
    create: 'The response has the signing secret, which is not shown again. The address must be public and resolve.',
    update:
      'Disabling a webhook cancels its pending deliveries. If they are more than a thousand, that takes minutes, and until then enabling it is a 409. A new address applies to pending deliveries.',
    delete:
      'Deletes a webhook and cancels its pending deliveries. If they are more than a thousand, that takes minutes.',
  },
  row: endpoint,
  create: z.strictObject({ url, events, description }),
  update: z.strictObject({ url: url.optional(), events: events.optional(), status: status.optional(), description }),
  filters: { status },
  order: ['created_at', 'updated_at', 'status', 'last_delivery_at'],
  search: ['url', 'description'],
})

const base = {
  service: 'webhooks-dispatcher',
  tenant: true,
  tag,
  audit: 'webhook',
  area: 'webhooks',
  callers: callerSets.merchants,
  scopeGroup: 'webhooks',
} as const
const one = { ...base, params: z.object({ id: id('whk') }), target: 'id' } as const

const catalogEntry = named(
  'CatalogEvent',
  z
    .object({
      event: z.string().meta({ description: "The event's name.", examples: ['payment.approved'] }),
      description: z.string().meta({ description: 'When it is sent.', examples: ['A payment was approved'] }),
      object: z.string().meta({ description: 'What its `data` is.', examples: ['transaction'] }),
    })
    .describe('An event that a webhook may subscribe to.'),
)

const redeliveryRequest = named(
  'RedeliverToWebhook',
  z
    .strictObject({
      from: isoTime.describe('The deliveries created since then.'),
      to: isoTime.describe('Until when they were created, inclusive.'),
      status: named('EndedDeliveryStatus', z.enum(endedStatuses).describe('How a delivery ended.'))
        .default('exhausted')
        .describe('The deliveries that ended so.'),
      event: z
        .string()
        .max(100)
        .optional()
        .meta({ description: 'Only those of this event.', examples: ['payment.approved'] }),
      dry_run: z.boolean().default(false).describe('Count the deliveries, and send none.'),
    })
    .refine(({ from, to }) => from <= to, { path: ['from'], error: 'expected a time that is not after to' }),
)

const redeliveries = named(
  'Redeliveries',
  z
    .object({
      matched: z.int().meta({ description: 'How many deliveries match.', examples: [12] }),
      created: z.int().meta({ description: 'How many of them are sent once more.', examples: [12] }),
    })
    .describe('What is sent once more.'),
)

export const webhookOperations = {
  create: operation({
    ...webhooks.operations.create,
    secret: true,
    response: named(
      'NewWebhook',
      endpoint
        .pick({ id: true, url: true, events: true, status: true })
        .extend({ secret })
        .describe('A new webhook, with its signing secret.'),
    ),
  }),
  catalog: operation({
    ...base,
    id: 'getEventCatalog',
    summary: 'Get the event catalog',
    description: 'Returns the catalog of events that a webhook may subscribe to.',
    method: 'GET',
    path: '/api/webhooks/events',
    tenant: false,
    response: named('EventCatalog', z.object({ data: z.array(catalogEntry).describe('Every event of the catalog.') })),
  }),
  rotate: operation({
    ...one,
    fresh: true,
    id: 'rotateWebhookSecret',
    summary: "Rotate a webhook's secret",
    description: 'Creates a new signing secret and returns it. For a day, deliveries are signed with the old one too.',
    method: 'POST',
    path: '/api/webhooks/:id/rotate',
    body: emptyBody,
    secret: true,
    emits: ['webhook_endpoint.rotated'],
    response: named('WebhookSecretResponse', z.object({ data: endpoint, secret })),
  }),
  test: operation({
    ...one,
    id: 'testWebhook',
    summary: 'Send a test event to a webhook',
    description: 'Sends `webhook.test` once, without retries, whatever events the webhook subscribes to.',
    method: 'POST',
    path: '/api/webhooks/:id/test',
    body: emptyBody,
    status: 202,
    emits: ['webhook.test', 'webhook.delivered', 'webhook.attempt_failed'],
    response: deliveryResponse,
  }),
  redeliver: operation({
    ...one,
    id: 'redeliverToWebhook',
    summary: 'Redeliver to a webhook',
    description:
      'Sends the deliveries of a period once more that have ended, at most 100,000: behind new events, the oldest first. Deliveries that have had 100 attempts are left out.',
    method: 'POST',
    path: '/api/webhooks/:id/redeliver',
    body: redeliveryRequest,
    status: 202,
    emits: ['webhook_endpoint.redelivered', 'webhook.redelivered', 'webhook.delivered', 'webhook.attempt_failed'],
    response: dataOf(redeliveries),
  }),
}
