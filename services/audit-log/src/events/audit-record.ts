import { type auditEvent, events, idTimeMs, isId, type Message, maskCardNumbers } from '@cobro/contracts'
import type { z } from 'zod'
import { categoryOfCall, categoryOfEvent } from './audit-categories.ts'

/** A row of the log to write. `occurred_at` is a string. */
export type AuditRecord = Omit<z.input<typeof auditEvent>, 'seq'>

/** How far the time of an event may be from the time in its id. */
export const maxTimeDriftMs = 86_400_000

/** Recorded fields of event data, besides the card. No names, addresses or emails of payers. */
const recordedFields = [
  'attempt',
  'status',
  'decline_reason',
  'refund_status',
  'name',
  'webhook_id',
  'event_id',
  'response_status',
  'error',
  'duration_ms',
  'disabled_reason',
  'cancelled_deliveries',
  'redelivered_deliveries',
  'expires_at',
  'successor_id',
  'directive',
  'blocked_origin',
  'source_file',
  'source_line',
  'sessions',
  'links',
  'payment_attempts',
  'transactions',
  'disputes',
  'webhook_events',
  'mails',
  'saved_views',
  'block_id',
  'rule',
  'max_attempts',
  'window_seconds',
  'ends_at',
]

/**
 * Fields about permissions. Recorded even if null, because null has a meaning: a key without a list
 * of addresses is accepted from any address.
 */
const permissionFields = ['role', 'access', 'merchants', 'allowed_ips', 'scopes']

/** Fields that are objects: what changed, and a bank account that is on hold, which is masked. */
const objectFields = ['changes', 'bank_pending']

/**
 * Returns the row of a message, or undefined if the log does not record the event. Throws if the
 * message's id is not an event id, because the id determines the partition and detects duplicates.
 */
export function auditRecord(message: Message, traceId: string | null): AuditRecord | undefined {
  if (!isId('evt', message.id)) throw new Error(`${message.name}: the message's id is not that of an event`)
  if (message.name === 'http.request') return recordOfCall(message)
  const category = categoryOfEvent(message.name)
  return category === null ? undefined : { ...envelopeOf(message), category, ...detailsOf(message.data, traceId) }
}

function recordOfCall(message: Message): AuditRecord {
  const call = events['http.request'].data.parse(message.data)
  return {
    ...envelopeOf(message),
    category: categoryOfCall(call.path, call.status_code),
    ...call,
    method: storable(call.method),
    path: storable(call.path),
    ip: storable(call.ip),
    user_agent: storable(call.user_agent),
    metadata: storable(call.metadata),
    amount_cents: null,
    currency: null,
  }
}

function envelopeOf(message: Message) {
  const { id, name: action, correlation_id, request_id, target_id, merchant_id, actor } = message
  return { id, action, correlation_id, request_id, target_id, merchant_id, actor, occurred_at: occurredAt(message) }
}

/** Returns the event's time, or that of its id if they are far apart: day filters select by id. */
function occurredAt({ id, occurred_at }: Message): string {
  const statedMs = Date.parse(occurred_at)
  const isNear = Math.abs(statedMs - idTimeMs(id)) <= maxTimeDriftMs
  return new Date(isNear ? statedMs : idTimeMs(id)).toISOString()
}

/** Reads fields without parsing the schema, because events of newer releases are recorded too. */
function detailsOf(data: Record<string, unknown>, traceId: string | null) {
  const amount = data.amount_cents ?? data.amount_total
  return {
    method: null,
    path: null,
    status_code: null,
    ip: null,
    user_agent: null,
    duration_ms: null,
    trace_id: traceId,
    amount_cents: Number.isSafeInteger(amount) ? (amount as number) : null,
    currency: typeof data.currency === 'string' ? storable(data.currency) : null,
    metadata: metadataOf(data),
  }
}

function metadataOf(data: Record<string, unknown>): Record<string, unknown> | null {
  const { brand, last4 } = (data.card ?? {}) as Record<string, unknown>
  const fields = { brand, last4, ...Object.fromEntries(recordedFields.map(field => [field, data[field]])) }
  const scalars = Object.entries(fields).filter(([, value]) => isScalar(value))
  const permissions = permissionFields
    .map(field => [field, data[field]] as const)
    .filter(([, value]) => isPermission(value))
  const objects = objectFields
    .map(field => [field, data[field]] as const)
    .filter(([, value]) => typeof value === 'object' && value !== null)
  const kept = [...scalars, ...permissions, ...objects]
  return kept.length === 0 ? null : storable(Object.fromEntries(kept))
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
const isPermission = (value: unknown) =>
  value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar))

/** Removes card numbers, and characters that Postgres cannot store. */
function storable<T>(value: T): T {
  if (typeof value === 'string') return maskCardNumbers(value.toWellFormed().replaceAll('\0', '')) as T
  if (Array.isArray(value)) return value.map(storable) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [storable(key), storable(child)])) as T
}
