import { z } from 'zod'
import { message } from './message.ts'

/** An `http.request` of the audit log, as the gateway's spool publishes it. */
export const httpRequest = z.object({
  method: z.string(),
  path: z.string(),
  status_code: z.int(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  duration_ms: z.int().nullable(),
  trace_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
})

/**
 * The message with which the gateway publishes the `http.request` events of many calls.
 * A message for each would cost the gateway, the broker and the audit log more than the events do.
 */
export const httpRequests = {
  name: 'http.requests',
  /** Each of `calls` is an `endedCall`. Consumers parse them one by one, so that a malformed one does not affect the others. */
  data: z.object({ calls: z.array(z.unknown()) }),
}

/** A call in a message of many: its event, and its trace as a W3C `traceparent`. */
export const endedCall = z.object({
  event: message.extend({ name: z.literal('http.request') }),
  traceparent: z.string().nullable(),
})
