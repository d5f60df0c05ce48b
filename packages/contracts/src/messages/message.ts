import { z } from 'zod'
import { actor } from '../declarations/callers.ts'

/**
 * The envelope of every message on the broker. Consumers deduplicate by its `id`: `cmd_…` for commands,
 * `evt_…` for events, which is also the event's id in webhooks and in the audit log. A message of many events has an id of its own.
 */
export const message = z.object({
  id: z.string(),
  name: z.string(),
  occurred_at: z.iso.datetime(),
  merchant_id: z.string().nullable().default(null),
  target_id: z.string().nullable().default(null),
  correlation_id: z.string().nullable().default(null),
  request_id: z.string().nullable().default(null),
  actor: actor.default({ type: 'system', id: null }),
  data: z.record(z.string(), z.unknown()),
})

export type Message = z.output<typeof message>
