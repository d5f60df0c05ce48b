import { z } from 'zod'
import { actor } from '../callers.ts'
import { auditCategories } from '../event.ts'
import { id } from '../ids.ts'
import { dataOf, listOf, listQuery } from '../lists.ts'
import { operation } from '../operation.ts'
import { isoTime } from '../times.ts'

/** A row of the audit log. */
export const auditEvent = z.object({
  id: id('evt'),
  /** The event's place in the log, counted from 1 without a gap. */
  seq: z.int(),
  action: z.string(),
  category: z.enum(auditCategories),
  correlation_id: z.string().nullable(),
  request_id: z.string().nullable(),
  target_id: z.string().nullable(),
  merchant_id: z.string().nullable(),
  actor,
  method: z.string().nullable(),
  path: z.string().nullable(),
  status_code: z.int().nullable(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  duration_ms: z.int().nullable(),
  trace_id: z.string().nullable(),
  amount_cents: z.int().nullable(),
  currency: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  occurred_at: isoTime,
})

const base = { service: 'audit-log', tenant: true } as const

export const auditOperations = {
  list: operation({
    ...base,
    id: 'listEvents',
    summary: 'Lists events of the audit log',
    method: 'GET',
    path: '/api/events',
    query: listQuery({
      order: ['created_at', 'occurred_at', 'action', 'category', 'status_code'],
      filters: {
        correlation_id: id('corr'),
        request_id: id('req'),
        action: z.string().max(100),
        category: z.enum(auditCategories),
        target_id: z.string().max(64),
      },
      search: true,
    }),
    response: listOf(auditEvent),
  }),
  read: operation({
    ...base,
    id: 'getEvent',
    summary: 'Reads one event of the audit log',
    method: 'GET',
    path: '/api/events/:id',
    params: z.object({ id: id('evt') }),
    response: dataOf(auditEvent),
  }),
}
