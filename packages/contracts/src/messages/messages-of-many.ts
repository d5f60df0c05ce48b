import { z } from 'zod'
import { newId } from '../fields/ids.ts'
import { type Message, message } from './message.ts'

/**
 * Consumers parse each of `events` by itself, so that a malformed one does not affect the others.
 * Publishers send at most 100; the limit keeps a message from occupying its consumer for long.
 */
const data = z.object({ events: z.array(z.unknown()).max(1_000) })

const traceparent = z.stringFormat('traceparent', /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/)

/** An event in a message of many, and its trace as a W3C `traceparent`. */
const traced = <N extends z.ZodType<string>>(name: N) =>
  z.object({ event: message.extend({ name }), traceparent: traceparent.nullable() })

/**
 * The message with which the gateway publishes `http.request` events, each an `endedCall`.
 * A message for each would cost the gateway, the broker and the audit log more than the events do.
 */
export const httpRequests = { name: 'http.requests', data }
export const endedCall = traced(z.literal('http.request'))

/**
 * The message of webhooks-dispatcher with events of attempts, each an `endedWebhookAttempt`.
 * Only the audit log may consume them: other queues would get only those that are published again after a failure.
 */
export const webhookAttempts = { name: 'webhook.attempts', data }
export const webhookAttemptEvents = ['webhook.delivered', 'webhook.attempt_failed', 'webhook.exhausted'] as const
export const endedWebhookAttempt = traced(z.enum(webhookAttemptEvents))

/** An event to publish in a message of many. */
interface Traced {
  event: Message
  traceparent: string | null
}

/**
 * Builds a message of many events. It has an id of its own each time, since after a crash
 * the same events may be published in other messages.
 */
export function messageOfMany({ name }: { name: string }, events: readonly Traced[]): Message {
  return {
    id: newId('evt'),
    name,
    occurred_at: new Date().toISOString(),
    ...{ merchant_id: null, target_id: null, correlation_id: null, request_id: null },
    actor: { type: 'system', id: null },
    data: { events },
  }
}
