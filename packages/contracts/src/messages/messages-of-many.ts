import { z } from 'zod'
import { newId } from '../fields/ids.ts'
import { type Message, message } from './message.ts'

/**
 * The message with which the gateway publishes the `http.request` events of many calls.
 * A message for each would cost the gateway, the broker and the audit log more than the events do.
 */
export const httpRequests = {
  name: 'http.requests',
  /** Each of `calls` is an `endedCall`. Consumers parse them one by one, so that a malformed one does not affect the others. */
  data: z.object({ calls: z.array(z.unknown()) }),
}

/** The message with which webhooks-dispatcher publishes the events of many attempts, for the same reason. */
export const webhookAttempts = {
  name: 'webhook.attempts',
  /** Each of `attempts` is an `endedAttempt`, parsed as calls are. */
  data: z.object({ attempts: z.array(z.unknown()) }),
}

/** The events of attempts. Only the audit log consumes them. */
export const attemptEvents = ['webhook.delivered', 'webhook.attempt_failed', 'webhook.exhausted'] as const

/** An event in a message of many, and its trace as a W3C `traceparent`. */
const traced = <N extends z.ZodType<string>>(name: N) =>
  z.object({ event: message.extend({ name }), traceparent: z.string().nullable() })

/** A call in a message of many. */
export const endedCall = traced(z.literal('http.request'))

/** An attempt in a message of many. */
export const endedAttempt = traced(z.enum(attemptEvents))

/**
 * Builds a message of many events. It has an id of its own each time, since after a crash the same events may be
 * published in other messages.
 */
export function messageOfMany(name: string, data: Message['data']): Message {
  return {
    id: newId('evt'),
    name,
    occurred_at: new Date().toISOString(),
    ...{ merchant_id: null, target_id: null, correlation_id: null, request_id: null },
    actor: { type: 'system', id: null },
    data,
  }
}
