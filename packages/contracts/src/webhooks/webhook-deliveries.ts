import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { dataOf, deletedResponse, listOf, listQuery, named } from '../fields/pagination.ts'
import { isoTime, maybeIsoTime } from '../fields/times.ts'
import { webhookAttemptEvents } from '../messages/messages-of-many.ts'
import { emptyBody } from '../resources/empty-body.ts'

const tag: Tag = {
  name: 'Webhook deliveries',
  description: 'Events sent to webhooks, and every attempt to deliver them.',
}

export const deliveryStatuses = ['pending', 'delivering', 'succeeded', 'failed', 'exhausted', 'cancelled'] as const

/** The states in which nothing more is sent unless a caller asks for it. */
export const endedStatuses = ['succeeded', 'failed', 'exhausted', 'cancelled'] as const

const status = named('WebhookDeliveryStatus', z.enum(deliveryStatuses).describe('The state of a delivery.'))
const eventText = { description: "The event's name.", examples: ['payment.approved'] }
const bodyText = { description: "The start of the endpoint's response body.", examples: ['ok'] }

const deliveryAttempt = named(
  'WebhookDeliveryAttempt',
  z
    .object({
      number: z.int().meta({ description: 'Counted from 1.', examples: [1] }),
      at: isoTime.describe('When it was made.'),
      duration_ms: z
        .int()
        .nullable()
        .meta({ description: 'How long it took.', examples: [84] }),
      status_code: z
        .int()
        .nullable()
        .meta({ description: "The endpoint's HTTP status; `null` without a response.", examples: [200] }),
      error: z
        .string()
        .nullable()
        .meta({ description: 'Why there was no response; `null` otherwise.', examples: ['connection refused'] }),
      response_body: z.string().nullable().meta(bodyText),
    })
    .describe('An attempt to deliver an event.'),
)

export const webhookDelivery = named(
  'WebhookDelivery',
  z
    .object({
      id: id('whd'),
      webhook_id: id('whk'),
      merchant_id: id('mrc'),
      event_id: id('evt'),
      event: z.string().meta(eventText),
      url: z
        .string()
        .meta({ description: 'The address that it is sent to.', examples: ['https://shop.example/hooks'] }),
      payload: z.string().meta({
        description: 'The body as it is sent, and signed.',
        examples: ['{"id":"evt_…","event":"payment.approved"}'],
      }),
      status,
      attempt_count: z.int().meta({ description: 'How many attempts were made.', examples: [1] }),
      next_attempt_at: maybeIsoTime.describe('When the next attempt is due; `null` for none.'),
      response_status: z
        .int()
        .nullable()
        .meta({ description: 'The HTTP status of the last attempt.', examples: [200] }),
      response_body: z.string().nullable().meta(bodyText),
      correlation_id: storedId<'corr'>().nullable().meta({ description: 'The payment lifecycle of the event.' }),
      created_at: isoTime.describe('When it was created.'),
      delivered_at: maybeIsoTime.describe('When the endpoint accepted it; `null` until then.'),
      attempts: z.array(deliveryAttempt).describe('The newest attempts.'),
    })
    .describe('An event on its way to a webhook.'),
)

/** The response with one delivery. */
export const deliveryResponse = dataOf(webhookDelivery)

const deliveries = {
  service: 'webhooks-dispatcher',
  tenant: true,
  path: '/api/webhook-deliveries',
  tag,
  audit: 'webhook',
  area: 'webhooks',
  callers: callerSets.merchants,
  scopeGroup: 'webhooks',
} as const
const one = {
  ...deliveries,
  path: '/api/webhook-deliveries/:id',
  params: z.object({ id: id('whd') }),
  target: 'id',
} as const

export const deliveryOperations = {
  list: operation({
    ...deliveries,
    id: 'listWebhookDeliveries',
    summary: 'List webhook deliveries',
    description: 'Returns deliveries, each with its newest five attempts, by default the newest first.',
    method: 'GET',
    query: listQuery({
      order: ['created_at', 'status', 'next_attempt_at', 'delivered_at'],
      filters: {
        webhook_id: id('whk'),
        event: z.string().max(100).meta(eventText),
        status,
        event_id: id('evt'),
        correlation_id: id('corr'),
      },
      search: true,
    }),
    response: listOf(webhookDelivery),
  }),
  read: operation({
    ...one,
    id: 'getWebhookDelivery',
    summary: 'Get a webhook delivery',
    description: 'Returns one delivery with its newest hundred attempts.',
    method: 'GET',
    response: deliveryResponse,
  }),
  create: operation({
    ...deliveries,
    id: 'createWebhookDelivery',
    summary: 'Send a past event to a webhook',
    description: 'Sends a past event to a webhook of the same merchant, as a new delivery with attempts of its own.',
    method: 'POST',
    body: named('CreateWebhookDelivery', z.strictObject({ webhook_id: id('whk'), event_id: id('evt') })),
    status: 201,
    emits: ['webhook.requested', ...webhookAttemptEvents],
    response: deliveryResponse,
  }),
  update: operation({
    ...one,
    id: 'cancelWebhookDelivery',
    summary: 'Cancel a webhook delivery',
    description:
      'Cancels a delivery that waits for its next attempt. One that is being sent, or has ended, is a conflict.',
    method: 'PUT',
    body: named(
      'CancelWebhookDelivery',
      z.strictObject({ status: z.literal('cancelled').describe('Cancels the delivery.') }),
    ),
    emits: ['webhook.cancelled'],
    response: deliveryResponse,
  }),
  delete: operation({
    ...one,
    id: 'deleteWebhookDelivery',
    summary: 'Hide a webhook delivery',
    description: 'Hides a delivery that has ended.',
    method: 'DELETE',
    emits: ['webhook.deleted'],
    response: deletedResponse,
  }),
  redeliver: operation({
    ...one,
    path: '/api/webhook-deliveries/:id/redeliver',
    id: 'redeliverWebhook',
    summary: 'Redeliver a webhook delivery',
    description: 'Sends a delivery that has ended once more: the same id and bytes, with a new signature.',
    method: 'POST',
    body: emptyBody,
    status: 202,
    emits: ['webhook.redelivered', ...webhookAttemptEvents],
    response: deliveryResponse,
  }),
}
