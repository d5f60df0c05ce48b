import { z } from 'zod'
import { actor } from '../callers.ts'
import { auditCategories } from '../event.ts'
import { id } from '../ids.ts'
import { operation } from '../operation.ts'
import { dataOf, listOf, listQuery } from '../pagination.ts'
import { day, isoTime } from '../times.ts'

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

/** A signed checkpoint: one for each batch of events, with the root of the tree over all events up to then. */
export const auditCheckpoint = z.object({
  /** How many events it vouches for. */
  size: z.int(),
  /** The root of the Merkle tree of RFC 6962 over them, and the hash of the checkpoint before it: SHA-256 in Base64. */
  root: z.string(),
  previous: z.string(),
  /** What was signed, with the signature: a C2SP checkpoint. */
  note: z.string(),
  created_at: isoTime,
})

/** What was found where the log was held against its tree, and the first event that does not fit, by its place. */
const integrity = z.object({
  ok: z.boolean(),
  size: z.int(),
  root: z.string(),
  /** How many events were hashed again. */
  checked: z.int(),
  /** How many are no longer here, since their month was exported and dropped. Their hashes are in the tree. */
  retired: z.int(),
  first_fault: z
    .object({
      kind: z.string(),
      seq: z.int(),
      id: z.string().nullable(),
      expected: z.string().nullable(),
      found: z.string().nullable(),
    })
    .nullable(),
})

/** The most events that one call verifies. */
export const maxVerified = 100_000

const place = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'expected the place of an event, from 1 on' })
  .transform(Number)

/** The place up to which an export is had already: 0 where nothing is. */
const afterPlace = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, { error: 'expected the place of the last event that is not wanted, or 0' })
  .transform(Number)

const places = z
  .strictObject({ from_seq: place.optional(), to_seq: place.optional() })
  .superRefine(({ from_seq: from, to_seq: to }, context) => {
    const fault = (message: string) => context.addIssue({ code: 'custom', path: ['from_seq'], message })
    if (from === undefined || to === undefined) return
    if (from > to) fault('expected a place not after to_seq')
    else if (to - from >= maxVerified) fault(`expected at most ${maxVerified} events up to to_seq`)
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
  export: operation({
    ...base,
    id: 'exportEvents',
    summary:
      'Exports events of the audit log in the order of their places, as NDJSON or CSV, from after_seq on; CSV has its head line where that is 0 or left out',
    method: 'GET',
    path: '/api/events/export',
    query: z
      .strictObject({
        format: z.enum(['ndjson', 'csv'], { error: 'expected ndjson or csv' }).default('ndjson'),
        after_seq: afterPlace.optional(),
        from: day.optional(),
        to: day.optional(),
      })
      .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
        path: ['from'],
        error: 'expected a day not after to',
      }),
    response: 'export',
  }),
  integrity: operation({
    ...base,
    tenant: false,
    id: 'verifyEvents',
    summary: 'Verifies events of the audit log against its signed tree; without a range, the newest hundred thousand',
    method: 'GET',
    path: '/api/events/integrity',
    query: places,
    response: dataOf(integrity),
  }),
  checkpoints: operation({
    ...base,
    tenant: false,
    id: 'listCheckpoints',
    summary: 'Lists the signed checkpoints of the audit log',
    method: 'GET',
    path: '/api/events/checkpoints',
    query: listQuery({ order: ['created_at', 'size'], filters: {}, search: false }),
    response: listOf(auditCheckpoint),
  }),
  checkpointKeys: operation({
    ...base,
    tenant: false,
    id: 'listCheckpointKeys',
    summary: 'Lists the public keys that checkpoints of the audit log are signed with, the current one first',
    method: 'GET',
    path: '/api/events/checkpoint-keys',
    response: z.object({ data: z.array(z.object({ verifier_key: z.string() })) }),
  }),
}
