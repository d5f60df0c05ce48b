import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id } from '../fields/ids.ts'
import { type ListQuery, listOf, listQuery, named } from '../fields/pagination.ts'
import { positionOrLatest, waitSeconds } from '../fields/waiting.ts'
import { auditEvent } from './audit-events.ts'

const tag: Tag = {
  name: 'Requests',
  description: "A merchant's own API calls, and what happened in the lifecycle of a payment.",
}

const { seq, request_id, merchant_id, target_id, correlation_id, occurred_at, method, path, status_code, duration_ms } =
  auditEvent.shape

const errorCode = z
  .string()
  .nullable()
  .meta({ description: 'The code of the error, without its detail; `null` for none.', examples: ['invalid_request'] })
const operationId = z
  .string()
  .nullable()
  .meta({
    description: 'The operation; `null` for calls from before it was recorded.',
    examples: ['getTransaction'],
  })

const apiRequest = named(
  'ApiRequest',
  z
    .object({
      id: id('evt').describe('The id of its record.'),
      seq: seq.describe('The position of its record: later calls have higher ones.'),
      ...{ request_id, merchant_id },
      operation_id: operationId,
      ...{ method, path, status_code },
      error_code: errorCode,
      ...{ duration_ms },
      actor: auditEvent.shape.actor.describe('The key or user that called.'),
      ...{ target_id, correlation_id, occurred_at },
    })
    .describe("A call of a merchant's key or user. Bodies are never recorded."),
)

const requestList = named(
  'ApiRequestList',
  listOf(apiRequest).extend({
    through: z
      .int()
      .nullable()
      .meta({
        description:
          'With `after_seq`: the position up to which was read, the `after_seq` of the next call. Otherwise `null`.',
        format: 'int64',
        examples: [1042],
      }),
  }),
)

const filters = {
  operation_id: z.string().max(100).describe('Only calls of this operation.'),
  method: named('HttpMethod', z.enum(['GET', 'POST', 'PUT', 'DELETE']).describe('The method of a call.')),
  status_code: z
    .string()
    .regex(/^[1-5]\d\d$/, { error: 'expected a status such as 404' })
    .transform(Number)
    .describe('Only calls with this status.'),
  status_class: named('StatusClass', z.enum(['2xx', '3xx', '4xx', '5xx']).describe('The first digit of the status.')),
  actor_type: named(
    'RequestActorType',
    z
      .enum(['key', 'client'])
      .describe('Calls of API keys (`key`), or of users such as those of the dashboard (`client`).'),
  ),
  actor_id: z.string().max(64).describe('Only calls of this key or user.'),
  request_id: id('req'),
  correlation_id: id('corr'),
  after_seq: positionOrLatest.describe(
    'Return what was recorded after this position, oldest first; `latest` for the end of the log. Cannot be combined with `cursor`, `offset`, `page`, `from` or `to`.',
  ),
  wait: waitSeconds,
}

/** A query of calls: a list by time, or with `after_seq` what was recorded after a position. */
export interface RequestQuery extends ListQuery {
  after_seq: number | 'latest' | undefined
  /** Seconds. */
  wait: number
}

const query = listQuery({ order: ['created_at'], filters, search: false })
  .superRefine(({ after, offset, from, to, filters }, context) => {
    const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    const isList = after !== undefined || offset > 0 || from !== undefined || to !== undefined
    if (filters.after_seq !== undefined && isList)
      reject('after_seq', 'cannot be combined with cursor, offset, page, from or to')
    if (filters.wait !== undefined && filters.after_seq === undefined) reject('wait', 'needs after_seq')
  })
  .transform((list): RequestQuery => {
    const { after_seq, wait, ...filters } = list.filters as Pick<RequestQuery, 'after_seq'> & { wait?: number }
    return { ...list, filters, after_seq, wait: wait ?? 0 }
  })

const { action, category, trace_id, amount_cents, currency, metadata } = auditEvent.shape

const lifecycleEvent = named(
  'LifecycleEvent',
  z
    .object({
      id: id('evt').describe('The id of its record.'),
      ...{ action, category, request_id, target_id },
      actor_type: auditEvent.shape.actor.shape.type,
      ...{ method, path, status_code, duration_ms, trace_id, amount_cents, currency, metadata, occurred_at },
    })
    .describe('Something that happened in the lifecycle of a payment.'),
)

const kind = named(
  'LifecycleKind',
  z
    .enum(['event', 'write', 'read'])
    .describe('An event, a call that may change something (`write`), or a call that only reads (`read`).'),
)

const base = {
  service: 'audit-log',
  tenant: true,
  tag,
  audit: 'api',
  area: 'history',
  callers: callerSets.merchants,
  scopeGroup: 'requests',
  method: 'GET',
} as const

export const requestOperations = {
  list: operation({
    ...base,
    id: 'listRequests',
    summary: 'List API calls',
    description:
      "Returns the calls of the merchant's own keys and users, by default the newest first. A call to a path or method that does " +
      'not exist is not among them. With `after_seq`, from `latest` or the `seq` of a call, it returns what was recorded after ' +
      'that position, oldest first, without calls of this operation, and waits for the next one if asked to. A page may be empty ' +
      'although more follows, since it looks at 10,000 records at most: read on with its `through`.',
    path: '/api/requests',
    query,
    response: requestList,
  }),
  lifecycle: operation({
    ...base,
    id: 'getLifecycle',
    summary: 'Get the lifecycle of a payment',
    description:
      'Returns the events and calls of one lifecycle, by default the oldest first: what the merchant, the payer and the acquirer ' +
      'did, without addresses and without the ids of other callers. An event appears a moment after it happened. Each look at a ' +
      'payment, session or link is a call of its lifecycle; `kind=event,write` leaves these out.',
    path: '/api/lifecycles/:correlation_id',
    params: z.object({ correlation_id: id('corr') }),
    query: listQuery({ order: ['created_at'], filters: { kind }, search: false, dir: 'asc' }),
    response: listOf(lifecycleEvent),
  }),
}
