import type { Pool } from 'pg'
import type { Row } from './floor-statements.ts'

/** What a webhook of Cobro left in its tables. The floor inserts the same again under other ids. */
export interface WebhookRows {
  webhookEvent: Row
  delivery: Row
  webhookAttempt: Row
}

/** What a payment left there. */
export interface PaymentRows extends WebhookRows {
  session: Row
  attempt: Row
  idempotencyKey: Row
  token: Row
  cardUse: Row
  charge: Row
  transaction: Row
  position: Row
  entry: Row
  auditEvent: Row
}

/** The tables that a payment writes to, by their names in the floor. */
const tables = {
  sessions: 'checkout.checkout_sessions',
  payment_attempts: 'checkout.payment_attempts',
  idempotency_keys: 'checkout.idempotency_keys',
  checkout_inbox: 'checkout.inbox',
  checkout_outbox: 'checkout.outbox',
  tokens: 'acquirer_sandbox.tokens',
  card_uses: 'acquirer_sandbox.card_uses',
  charges: 'acquirer_sandbox.charges',
  transactions: 'transactions.transactions',
  ledger_positions: 'transactions.ledger_positions',
  ledger_entries: 'transactions.ledger_entries',
  transactions_outbox: 'transactions.outbox',
  webhook_inbox: 'webhooks.inbox',
  webhook_events: 'webhooks.events',
  deliveries: 'webhooks.deliveries',
  jobs: 'webhooks.jobs',
  webhook_attempts: 'webhooks.attempts',
  webhooks_outbox: 'webhooks.outbox',
  audit_events: 'audit.events',
  checkpoints: 'audit.checkpoints',
  tree_head: 'audit.tree_head',
}

/** Creates the floor's tables: the columns, checks and indexes of Cobro's, without triggers and foreign keys. */
export async function createFloorTables(pool: Pool): Promise<void> {
  const statements = Object.entries(tables).map(
    ([name, like]) => `create table floor.${name} (like ${like} including all)`,
  )
  await pool.query(
    ['create schema floor', ...statements, 'insert into floor.tree_head select * from audit.tree_head'].join(';'),
  )
}

/** Reads the rows of a payment's webhook. All values are texts, as PostgreSQL writes them. */
export async function readWebhookRows(pool: Pool, correlationId: unknown): Promise<WebhookRows> {
  const webhookEvent = await readOne(
    pool,
    tables.webhook_events,
    `event = 'payment.approved' and correlation_id = $1`,
    correlationId,
  )
  const delivery = await readOne(pool, tables.deliveries, 'event_id = $1', webhookEvent.id)
  const webhookAttempt = await readOne(pool, tables.webhook_attempts, 'delivery_id = $1', delivery.id)
  return { webhookEvent, delivery, webhookAttempt }
}

async function readOne(pool: Pool, table: string, condition: string, value: unknown): Promise<Row> {
  const text = `select * from ${table} where ${condition} limit 1`
  const { rows } = await pool.query({ text, values: [value], types: { getTypeParser: () => (raw: string) => raw } })
  if (rows.length === 0) throw new Error(`The payment has no row in ${table}.`)
  return rows[0]
}

/** Reads the rows of the payment of a session, in the same way. */
export async function readPaymentRows(pool: Pool, sessionId: string): Promise<PaymentRows> {
  const one = (table: string, condition: string, value: unknown) => readOne(pool, table, condition, value)
  const session = await one(tables.sessions, 'id = $1', sessionId)
  const { payment_intent_id: intent, transaction_id: transactionId } = session
  const { search_text: _generated, ...transaction } = await one(tables.transactions, 'id = $1', transactionId)
  const attempt = await one(tables.payment_attempts, 'payment_intent_id = $1', intent)
  const charge = await one(tables.charges, 'key = $1', `${intent}:1`)
  return {
    ...{ session, attempt, transaction, charge, ...(await readWebhookRows(pool, session.correlation_id)) },
    idempotencyKey: await one(tables.idempotency_keys, 'id = $1', attempt.idempotency_id),
    token: await one(tables.tokens, 'token = $1', charge.token),
    cardUse: await one(tables.card_uses, 'token = $1', charge.token),
    position: await one(tables.ledger_positions, 'transaction_id = $1', transactionId),
    entry: await one(tables.ledger_entries, 'transaction_id = $1', transactionId),
    auditEvent: await one(tables.audit_events, `action = 'payment.approved' and target_id = $1`, transactionId),
  }
}
