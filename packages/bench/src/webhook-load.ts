import { setTimeout as sleep } from 'node:timers/promises'
import { type EventData, type Id, newId } from '@cobro/contracts'
import { openDatabase, outboxReader } from '@cobro/database'
import { openPublisher, startRelay } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { epochMs } from './epoch-ms.ts'
import { floorOutbox } from './floor/floor-outbox.ts'
import { connect, openBroker } from './floor/floor-wiring.ts'

/** The load to generate: events at a fixed rate, for merchants in turn. */
export interface WebhookLoad {
  run: string
  merchants: Id<'mrc'>[]
  perSecond: number
  seconds: number
}

/** The commits, and the load's lag behind its schedule. Results are valid only if that is small. */
export interface WebhookLoaded {
  committed: number
  behindMs: number
}

/** A system that events are emitted in. */
interface LoadedSystem {
  /** Commits events in the outbox of transactions, from which they are published. */
  emit: (events: EventData<'payment.approved'>[]) => Promise<unknown>
  close: () => Promise<unknown>
}

const tickMs = 5
const { DATABASE_URL = '', AMQP_URL = '', LOADED_SYSTEM } = process.env

const { emit, close } = LOADED_SYSTEM === 'floor' ? await openFloor() : openCobro()
process.on('message', (load: WebhookLoad) => void emitAll(load).then(loaded => process.send?.(loaded)))
process.once('disconnect', async () => {
  await close()
  process.exit(0)
})
process.send?.('ready')

function openCobro(): LoadedSystem {
  const logger = createLogger('bench', 'warn')
  const db = openDatabase({ url: DATABASE_URL, schema: 'transactions', entities: [] })
  const openOwn = () => openPublisher({ url: AMQP_URL, namespace: 'cobro', logger })
  const publisher = openOwn()
  const relay = startRelay({ outbox: outboxReader(db), publisher, openOwn, logger })
  return {
    emit: events => db.write(async (_tx, emit) => events.forEach(event => void emit('payment.approved', event))),
    close: async () => {
      await relay.stop()
      await publisher.close()
      await db.close()
    },
  }
}

/** Its audit log does not run, as that of Cobro does not: what is for it stays in its queue. */
async function openFloor(): Promise<LoadedSystem> {
  const { publish, declare } = await openBroker(AMQP_URL)
  await declare('audit-log', ['#'])
  const outbox = floorOutbox(connect(DATABASE_URL, 'load'), 'transactions', publish)
  const message = (data: object) => ({ id: newId('evt'), name: 'payment.approved', data })
  return { emit: events => outbox.write('emit', [], events.map(message)), close: async () => undefined }
}

/**
 * Generates an open loop: each event has a scheduled time and contains it, regardless of earlier
 * events. Events due in the same tick are committed together, like the events of one payment.
 */
async function emitAll({ run, merchants, perSecond, seconds }: WebhookLoad): Promise<WebhookLoaded> {
  const total = perSecond * seconds
  const startMs = epochMs() + tickMs
  const commits: Promise<unknown>[] = []
  let behindMs = 0
  for (let next = 0; next < total; await sleep(tickMs)) {
    const due = Math.min(total, Math.floor(((epochMs() - startMs) / 1000) * perSecond) + 1)
    const emitted_ms = String(epochMs())
    const events = Array.from({ length: Math.max(0, due - next) }, (_, offset) => {
      const number = next + offset
      const due_ms = String(startMs + (number / perSecond) * 1000)
      const metadata = { run, due_ms, emitted_ms, number: String(number) }
      return payment(merchants[number % merchants.length] ?? newId('mrc'), metadata)
    })
    if (events.length > 0) {
      behindMs = Math.max(behindMs, epochMs() - Number(events[0]?.metadata?.due_ms))
      commits.push(emit(events))
    }
    next = Math.max(next, due)
  }
  await Promise.all(commits)
  return { committed: total, behindMs }
}

function payment(merchant_id: Id<'mrc'>, metadata: Record<string, string>): EventData<'payment.approved'> {
  const now = new Date()
  return {
    id: newId('txn'),
    type: 'payment',
    correlation_id: newId('corr'),
    ...{ payment_intent_id: newId('pi'), payment_link_id: null, order_id: 'order-4711', reference: 'ref-4711' },
    ...{ payer_email: 'payer@shop.example', merchant_id, rail: 'online_cnp', payment_method: 'card' },
    ...{ status: 'approved', amount_cents: 25_000, currency: 'MXN', fee_cents: 900 },
    card: { brand: 'visa', last4: '4242' },
    ...{ customer_ref: null, decline_reason: null, risk_score: 12, terminal_id: null },
    ...{ created_at: now, updated_at: now, captured_at: now, metadata },
    ...{ refund_status: null, refund_id: null, refund_requested_at: null, refunded_at: null, manual_refund: false },
  }
}
