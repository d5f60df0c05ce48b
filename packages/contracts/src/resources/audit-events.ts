import { z } from 'zod'
import { actor, callerSets } from '../declarations/callers.ts'
import { auditCategories } from '../declarations/event.ts'
import { type ExportedLines, operation, type Tag } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { dataOf, listOf, listQuery, named } from '../fields/pagination.ts'
import { isoTime, rangeEnd, rangeStart } from '../fields/times.ts'
import { auditCheckpoint, auditCheckpointKeys, auditIntegrity } from './audit-integrity.ts'

const tag: Tag = { name: 'Audit log', description: 'Every HTTP call and every change of state. For operators.' }

const category = named('AuditCategory', z.enum(auditCategories).describe('What an event is about.'))

const auditEventActor = named(
  'Actor',
  z
    .object({
      type: actor.shape.type.meta({
        description: 'A kind of caller (`key`, `client`, `operator`, `payer`, `acquirer`), `command` or `system`.',
        examples: ['client'],
      }),
      id: actor.shape.id.meta({
        description: 'The id of the key or user; the name given to a command; `null` for the others.',
      }),
    })
    .describe('Who caused it.'),
)

const details = named(
  'AuditDetails',
  z.record(z.string(), z.unknown()).meta({
    description:
      'Details of an event, such as its attempt, decline reason or changed fields. Never personal data of payers.',
    examples: [{ attempt: 1 }],
  }),
)

/** A row of the audit log. */
export const auditEvent = named(
  'AuditEvent',
  z
    .object({
      id: id('evt'),
      seq: z.int().meta({
        description: 'Its position in the log, counted from 1 without a gap.',
        format: 'int64',
        examples: [1042],
      }),
      action: z.string().meta({
        description: "The event's name, or `http.request` for a call.",
        examples: ['payment.approved'],
      }),
      category,
      correlation_id: storedId<'corr'>().nullable().meta({
        description: 'The payment lifecycle that it belongs to.',
      }),
      request_id: storedId<'req'>().nullable().meta({
        description: 'The request that caused it.',
      }),
      target_id: z.string().nullable().meta({
        description: 'The object that it is about.',
      }),
      merchant_id: storedId<'mrc'>().nullable().meta({
        description: 'The merchant concerned; `null` for none.',
      }),
      actor: auditEventActor,
      method: z
        .string()
        .nullable()
        .meta({ description: 'The HTTP method of a call.', examples: ['POST'] }),
      path: z
        .string()
        .nullable()
        .meta({
          description: 'The path of a call, without its query and with secrets masked.',
          examples: ['/checkout/v1/sessions'],
        }),
      status_code: z
        .int()
        .nullable()
        .meta({ description: 'The HTTP status of a call.', examples: [201] }),
      ip: z
        .string()
        .nullable()
        .meta({ description: "The client's address.", examples: ['203.0.113.7'] }),
      user_agent: z
        .string()
        .nullable()
        .meta({ description: "The client's `User-Agent`.", examples: ['shop/1.0'] }),
      duration_ms: z
        .int()
        .nullable()
        .meta({ description: 'How long a call took.', examples: [84] }),
      trace_id: z
        .string()
        .nullable()
        .meta({
          description: 'The W3C trace that it belongs to.',
          examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
        }),
      amount_cents: z
        .int()
        .nullable()
        .meta({
          description: 'The amount of a payment.',
          format: 'int64',
          examples: [25_000],
        }),
      currency: z
        .string()
        .nullable()
        .meta({ description: 'The currency of a payment.', examples: ['MXN'] }),
      metadata: details.nullable().describe('Details of the event; `null` for none.'),
      occurred_at: isoTime.describe('When it happened.'),
    })
    .describe('A row of the audit log.'),
)

/** The most events that one call verifies. */
export const maxVerified = 100_000

const seqText = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'expected the place of an event, from 1 on' })
  .transform(Number)

/** The position after which an export begins: 0 for the start. */
const afterSeq = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, { error: 'expected the place of the last event that is not wanted, or 0' })
  .transform(Number)

const seqRange = z
  .strictObject({
    from_seq: seqText.optional().describe('The position of the first event to verify.'),
    to_seq: seqText.optional().describe('The position of the last event to verify.'),
  })
  .superRefine(({ from_seq: from, to_seq: to }, context) => {
    const reject = (message: string) => context.addIssue({ code: 'custom', path: ['from_seq'], message })
    if (from === undefined || to === undefined) return
    if (from > to) reject('expected a place not after to_seq')
    else if (to - from >= maxVerified) reject(`expected at most ${maxVerified} events up to to_seq`)
  })

/** A line of NDJSON holds its event byte for byte, so that it can be hashed again. */
const exportedEvents: ExportedLines = {
  ndjson: {
    description: 'A line for each event: its position in the log, and the event as it was hashed.',
    example: '{"seq":1042,"event":{"id":"evt_…","action":"payment.approved"}}\n',
  },
  csv: {
    description: 'RFC 4180, with the names of the columns in the first line.',
    example: 'seq,id,action\r\n1042,evt_…,payment.approved\r\n',
  },
  isCounted: false,
}

const base = {
  service: 'audit-log',
  tenant: true,
  tag,
  audit: 'api',
  area: 'log',
  callers: callerSets.operators,
  method: 'GET',
} as const
const wholeLog = { ...base, tenant: false, scope: 'all-merchants' } as const

/** The operations of the audit log. */
export const auditOperations = {
  list: operation({
    ...base,
    id: 'listEvents',
    summary: 'List audit events',
    description:
      'Returns events of the audit log, by default the newest first. An operator sees the events of the merchants in its scope.',
    path: '/api/events',
    query: listQuery({
      order: ['created_at', 'occurred_at', 'action', 'category', 'status_code'],
      filters: {
        correlation_id: id('corr'),
        request_id: id('req'),
        action: z.string().max(100).describe('Only events of this name.'),
        category,
        target_id: z.string().max(64).describe('Only events about this object.'),
      },
      search: true,
    }),
    response: listOf(auditEvent),
  }),
  read: operation({
    ...base,
    id: 'getEvent',
    summary: 'Get an audit event',
    description: 'Returns one event of the audit log.',
    path: '/api/events/:id',
    params: z.object({ id: id('evt') }),
    target: 'id',
    response: dataOf(auditEvent),
  }),
  export: operation({
    ...base,
    id: 'exportEvents',
    summary: 'Export audit events',
    description:
      'Streams events in the order of their positions, as NDJSON or CSV. To continue an export, send the last position as `after_seq`; CSV has its header line only at the start. Each user may have two exports at once; another one is a 429, as it is while too many run of all callers.',
    path: '/api/events/export',
    query: z
      .strictObject({
        format: z
          .enum(['ndjson', 'csv'], { error: 'expected ndjson or csv' })
          .default('ndjson')
          .describe('The format of the lines.'),
        after_seq: afterSeq.optional().describe('Start after this position; 0 or absent for the start.'),
        from: rangeStart.optional().describe('The first day, in UTC, or the first moment.'),
        to: rangeEnd.optional().describe('The last day, in UTC, or the last moment, inclusive.'),
      })
      .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
        path: ['from'],
        error: 'expected a time not after to',
      }),
    response: 'export',
    lines: exportedEvents,
  }),
  integrity: operation({
    ...wholeLog,
    id: 'verifyEvents',
    summary: 'Verify the audit log',
    description:
      'Hashes events again and compares them with the signed tree: the given range, or the newest 100,000 events. Changes nothing.',
    path: '/api/events/integrity',
    query: seqRange,
    response: dataOf(auditIntegrity),
  }),
  checkpoints: operation({
    ...wholeLog,
    id: 'listCheckpoints',
    summary: 'List audit checkpoints',
    description: 'Returns the signed checkpoints of the audit log, by default the newest first.',
    path: '/api/events/checkpoints',
    query: listQuery({ order: ['created_at', 'size'], filters: {}, search: false }),
    response: listOf(auditCheckpoint),
  }),
  checkpointKeys: operation({
    ...wholeLog,
    id: 'listCheckpointKeys',
    summary: 'List checkpoint keys',
    description: 'Returns the public keys that checkpoints are signed with, the current one first.',
    path: '/api/events/checkpoint-keys',
    response: auditCheckpointKeys,
  }),
}
