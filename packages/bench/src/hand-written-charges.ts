import { newId } from '@cobro/contracts'
import type { Pool, PoolClient } from 'pg'

type Row = Record<string, unknown>

/** The rows that a charge creates, to insert them again under other ids. */
export interface ChargeRows {
  transaction: Row
  position: Row
  entries: Row[]
  messages: Row[]
}

/** Reads a charge's rows. Outbox messages are deleted when published: their bytes are made up. */
export async function readChargeRows(pool: Pool, merchant: string): Promise<ChargeRows> {
  const one = async (sql: string, value: unknown) => (await pool.query(sql, [value])).rows
  const [row] = await one(
    `select * from transactions.transactions where merchant_id = $1 and status = 'approved' limit 1`,
    merchant,
  )
  const { search_text, ...transaction } = row
  const [position] = await one('select * from transactions.ledger_positions where transaction_id = $1', row.id)
  const entries = await one('select * from transactions.ledger_entries where transaction_id = $1', row.id)
  const body = JSON.stringify({ ...transaction, metadata_terms: undefined })
  const message = { road: 'events', correlation_id: row.correlation_id, trace: '{}' }
  const messages = [
    { ...message, name: 'payment.approved', body: Buffer.from(body) },
    { ...message, name: 'payment_attempt.settled', body: Buffer.from(body.slice(0, body.length / 2)) },
  ]
  return { transaction, position, entries, messages }
}

/**
 * Inserts the rows of a number of charges with plain SQL, each charge in its own transaction, from
 * several connections. Returns the charges per second.
 */
export async function writeByHand(
  pool: Pool,
  rows: ChargeRows,
  { charges, connections }: { charges: number; connections: number },
): Promise<number> {
  let left = charges
  const startMs = performance.now()
  const work = async () => {
    const client = await pool.connect()
    try {
      while (left-- > 0) await writeCharge(client, rows)
    } finally {
      client.release()
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  return charges / ((performance.now() - startMs) / 1000)
}

async function writeCharge(
  client: PoolClient,
  { transaction, position, entries, messages }: ChargeRows,
): Promise<void> {
  const now = new Date()
  const id = newId('txn')
  const times = { created_at: now, updated_at: now, captured_at: now }
  await client.query('begin')
  const ids = { id, payment_intent_id: newId('pi'), correlation_id: newId('corr'), payable_id: newId('cs') }
  await insert(client, 'transactions', [{ ...transaction, ...ids, ...times }])
  await insert(client, 'ledger_positions', [{ ...position, transaction_id: id }])
  await insert(
    client,
    'ledger_entries',
    entries.map(entry => ({ ...entry, id: newId('led'), transaction_id: id, created_at: now })),
  )
  await insert(
    client,
    'outbox',
    messages.map(message => ({ ...message, message_id: newId('evt') })),
  )
  await client.query('commit')
}

/** A statement that is prepared once per connection. */
function insert(client: PoolClient, table: string, rows: Row[]): Promise<unknown> {
  const names = Object.keys(rows[0] ?? {})
  const places = rows.map((_, row) => `(${names.map((_name, at) => `$${row * names.length + at + 1}`).join(', ')})`)
  return client.query({
    name: table,
    text: `insert into transactions.${table} (${names.join(', ')}) values ${places.join(', ')}`,
    values: rows.flatMap(row => names.map(name => row[name])),
  })
}
