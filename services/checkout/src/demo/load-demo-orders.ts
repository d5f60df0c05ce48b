import { isId } from '@cobro/contracts'
import type { DemoHistory, DemoOrder, DemoProgress } from '@cobro/contracts/demo'
import { type Database, newRow, type Tx } from '@cobro/database'
import { nextPaymentId } from '../checkout-sessions/payment-ids.ts'
import { LinkEntity } from '../payables/link-entity.ts'
import { SessionEntity } from '../payables/session-entity.ts'
import { PaymentAttemptEntity } from '../payment-attempts/payment-attempt-entity.ts'
import { attemptFields, linkFields, sessionFields } from './demo-rows.ts'

/** How many orders a transaction stores, with their attempts. */
const batchSize = 150

/**
 * Loads the sessions, links and attempts of a demo merchant. What is stored is left as it is, so that an interrupted load continues
 * and a repeated one changes nothing. No event is published: nothing of it happened.
 */
export async function loadDemoOrders(
  db: Database,
  history: DemoHistory,
  report: (progress: DemoProgress) => void,
): Promise<void> {
  const total = history.orders.length
  for (let from = 0; from < total; from += batchSize) {
    const batch = history.orders.slice(from, from + batchSize)
    const paymentIds = new Map<DemoOrder, number>()
    for (const order of batch) if (!isId('pl', order.payable_id)) paymentIds.set(order, await nextPaymentId(db))
    await db.write(tx => loadOrders(tx, { ...history, orders: batch }, paymentIds))
    report({ loaded: Math.min(from + batchSize, total), total })
  }
}

async function loadOrders(tx: Tx, { orders, ...of }: DemoHistory, paymentIds: Map<DemoOrder, number>): Promise<void> {
  // Two loads at a time would insert the same rows.
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`demo:${of.merchant.id}`])
  const ids = orders.map(({ payment_intent_id }) => payment_intent_id)
  const stored = { payment_intent_id: { $in: ids } }
  const [sessions, links] = [
    await tx.find(SessionEntity, stored, { fields: ['payment_intent_id'] }),
    await tx.find(LinkEntity, stored, { fields: ['payment_intent_id'] }),
  ]
  const known = new Set([...sessions, ...links].map(({ payment_intent_id }) => payment_intent_id))
  for (const order of orders) {
    if (known.has(order.payment_intent_id)) continue
    const payment_id = paymentIds.get(order)
    if (payment_id === undefined) newRow(tx, LinkEntity, linkFields(of, order))
    else newRow(tx, SessionEntity, { ...sessionFields(of, order), payment_id })
    for (const attempt of attemptFields(of, order)) newRow(tx, PaymentAttemptEntity, attempt)
  }
}
