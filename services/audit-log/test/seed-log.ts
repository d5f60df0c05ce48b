import { type Message, newId } from '@cobro/contracts'
import { appendRecords, tracedLeaf } from '../src/events/append-records.ts'
import { auditRecord } from '../src/events/audit-record.ts'
import type { LogWriter } from '../src/tree/log-writer.ts'

export interface LogSeed {
  events: number
  /** The merchant of a fifth of the events. */
  merchant: string
}

const batchSize = 5_000
const otherMerchants = Array.from({ length: 500 }, () => newId('mrc'))
const eventsPerLifecycle = 8
const dayMs = 86_400_000
const days = 28

/** The events of a lifecycle in order. Requests have a path. */
const steps: readonly (readonly [name: string, target: 'cs' | 'txn' | 'whd', path?: string])[] = [
  ['http.request', 'cs', '/checkout/v1/sessions'],
  ['checkout_session.created', 'cs'],
  ['http.request', 'cs', '/checkout/v1/hosted/token'],
  ['http.request', 'cs', '/checkout/v1/hosted/token/pay'],
  ['payment.created', 'txn'],
  ['payment.approved', 'txn'],
  ['webhook.delivered', 'whd'],
  ['http.request', 'txn', '/api/transactions'],
]

/**
 * Appends events like those of four weeks of payments: eight for each lifecycle, with some requests
 * that belong to no merchant or fail.
 */
export async function seedLog(log: LogWriter, { events, merchant }: LogSeed): Promise<void> {
  const untilMs = Date.now()
  const timeOf = (at: number) => Math.floor(untilMs - days * dayMs * (1 - at / events))
  for (let from = 0; from < events; from += batchSize) {
    const lifecycles = Array.from({ length: Math.ceil(batchSize / eventsPerLifecycle) }, (_, i) =>
      lifecycleAt(timeOf(from + i * eventsPerLifecycle), from / eventsPerLifecycle + i, merchant),
    )
    const batch = lifecycles.flat().slice(0, Math.min(batchSize, events - from))
    await appendRecords(
      log,
      batch.flatMap(message => auditRecord(message, null) ?? []).map(record => tracedLeaf(record, {})),
    )
  }
}

function lifecycleAt(atMs: number, at: number, merchant: string): Message[] {
  const number = Math.floor(at)
  const ids = { cs: newId('cs', atMs), txn: newId('txn', atMs), whd: newId('whd', atMs) }
  const correlation_id = newId('corr', atMs)
  const merchant_id = number % 5 === 0 ? merchant : (otherMerchants[(number * 7919) % otherMerchants.length] ?? null)
  return steps.map(([name, target, path], step) => {
    const stepMs = atMs + step
    const isAnonymous = path !== undefined && number % 10 === 3
    return {
      id: newId('evt', stepMs),
      name,
      occurred_at: new Date(stepMs).toISOString(),
      merchant_id: isAnonymous ? null : merchant_id,
      target_id: isAnonymous ? null : ids[target],
      correlation_id: isAnonymous ? null : correlation_id,
      request_id: newId('req', stepMs),
      actor: { type: 'key', id: 'key_01kdvc4x2m8p6q7r9s0t1v2w3x' },
      data: path
        ? callData(path, number)
        : { amount_cents: 25_000, currency: 'MXN', card: { brand: 'visa', last4: '4242' } },
    }
  })
}

const callData = (path: string, number: number) => ({
  method: 'POST',
  path,
  status_code: number % 400 === 0 ? 503 : 201,
  ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  duration_ms: 12,
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  metadata: null,
})
