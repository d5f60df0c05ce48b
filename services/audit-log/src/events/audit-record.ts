import { type Actor, type AuditCategory, events, idTimeMs, isId, type Message, maskCardNumbers } from '@cobro/contracts'
import { categoryOfCall, categoryOfEvent } from './audit-categories.ts'

/** A row as it is written: `occurred_at` is still text. */
export interface AuditRecord {
  id: string
  action: string
  category: AuditCategory
  correlation_id: string | null
  request_id: string | null
  target_id: string | null
  merchant_id: string | null
  actor: Actor
  method: string | null
  path: string | null
  status_code: number | null
  ip: string | null
  user_agent: string | null
  duration_ms: number | null
  trace_id: string | null
  amount_cents: number | null
  currency: string | null
  metadata: Record<string, unknown> | null
  occurred_at: string
}

type Details = Omit<AuditRecord, keyof Envelope | 'category'>
type Envelope = ReturnType<typeof envelopeOf>

/** How far the time that an event states may lie from the time that its id carries. */
export const maxTimeDriftMs = 86_400_000

/** What is kept of an event's data, besides its card. Names, addresses and e-mails of payers are not among it. */
const toldFields = [
  'attempt',
  'status',
  'decline_reason',
  'refund_status',
  'name',
  'webhook_id',
  'event_id',
  'response_status',
  'error',
  'disabled_reason',
  'cancelled_deliveries',
  'expires_at',
  'successor_id',
]

/**
 * What says who may do what, from where. Told also where it is null, which is a statement too: a key without a list of addresses
 * is let in from any.
 */
const toldPowers = ['role', 'merchants', 'allowed_ips']

/**
 * The row of a message, or undefined where the event is of no interest to the log. Fails for a message whose id is no event's:
 * the id decides where the row lies and that it lies there once.
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

/** Days are looked up by the ids' times, so an event's own time may not be far from its id's: then the id's counts. */
function occurredAt({ id, occurred_at }: Message): string {
  const statedMs = Date.parse(occurred_at)
  const isNear = Math.abs(statedMs - idTimeMs(id)) <= maxTimeDriftMs
  return new Date(isNear ? statedMs : idTimeMs(id)).toISOString()
}

/** Read field by field and not by the event's schema: the event may be of a newer release, and must not be lost for it. */
function detailsOf(data: Record<string, unknown>, traceId: string | null): Details {
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
  const told = { brand, last4, ...Object.fromEntries(toldFields.map(field => [field, data[field]])) }
  const scalars = Object.entries(told).filter(([, value]) => isScalar(value))
  const powers = toldPowers.map(field => [field, data[field]] as const).filter(([, value]) => isPower(value))
  const { changes } = data
  const changed = typeof changes === 'object' && changes !== null ? [['changes', changes] as const] : []
  const kept = [...scalars, ...powers, ...changed]
  return kept.length === 0 ? null : storable(Object.fromEntries(kept))
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
const isPower = (value: unknown) => value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar))

/** A value as the log keeps it: without card numbers, and without characters that Postgres cannot store. */
function storable<T>(value: T): T {
  if (typeof value === 'string') return maskCardNumbers(value.toWellFormed().replaceAll('\0', '')) as T
  if (Array.isArray(value)) return value.map(storable) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [storable(key), storable(child)])) as T
}
