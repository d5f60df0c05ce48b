import { z } from 'zod'
import { id } from '../ids.ts'
import { operation } from '../operation.ts'
import { dataOf, deletedAnswer, listOf, listQuery } from '../pagination.ts'
import { isoTime } from '../times.ts'

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

const deliveries = { service: 'webhooks-dispatcher', tenant: true, path: '/api/webhook-deliveries' } as const
const one = { ...deliveries, path: '/api/webhook-deliveries/:id', params: z.object({ id: id('whd') }) } as const

export const deliveryOperations = {
  list: operation({
    ...deliveries,
    id: 'listWebhookDeliveries',
    summary: 'Lists deliveries, each with its newest five attempts',
    method: 'GET',
    query: listQuery({
      order: ['created_at', 'status', 'next_attempt_at', 'delivered_at'],
      filters: {
        webhook_id: id('whk'),
        event: z.string().max(100),
        status: z.enum(deliveryStatuses),
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
    summary: 'Reads a delivery with its newest hundred attempts',
    method: 'GET',
    response: dataOf(webhookDelivery),
  }),
  create: operation({
    ...deliveries,
    id: 'createWebhookDelivery',
    summary: 'Sends a past event to a webhook, in a delivery of its own with attempts of its own',
    method: 'POST',
    body: z.strictObject({ webhook_id: id('whk'), event_id: id('evt') }),
    status: 201,
    response: dataOf(webhookDelivery),
  }),
  update: operation({
    ...one,
    id: 'cancelWebhookDelivery',
    summary: 'Ends the attempts of a delivery that waits for its next',
    method: 'PUT',
    body: z.strictObject({ status: z.literal('cancelled') }),
    response: dataOf(webhookDelivery),
  }),
  delete: operation({
    ...one,
    id: 'deleteWebhookDelivery',
    summary: 'Hides a delivery that has come to its end',
    method: 'DELETE',
    response: deletedAnswer,
  }),
  redeliver: operation({
    ...one,
    path: '/api/webhook-deliveries/:id/redeliver',
    id: 'redeliverWebhook',
    summary: 'Sends a delivery that has come to its end once more: the same id and bytes, signed afresh',
    method: 'POST',
    body: z.strictObject({}).optional(),
    status: 202,
    response: dataOf(webhookDelivery),
  }),
}
