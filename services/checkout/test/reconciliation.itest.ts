import { type CommandData, type Message, newId, type ReplyData } from '@cobro/contracts'
import { type Database, type Difference, migrate, openDatabase, reconcileDaily, replyMessage } from '@cobro/database'
import { createLogger } from '@cobro/runtime'
import { migratedDatabase, type TestDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-checkout.ts'
import { LinkEntity } from '../src/payables/link-entity.ts'
import { SessionEntity } from '../src/payables/session-entity.ts'
import { paymentDifferences } from '../src/reconciliation/compare-with-transactions.ts'

type Payment = ReplyData<'reconciliation.payments'>['payments'][number]

let database: TestDatabase
let db: Database
beforeEach(async () => {
  database = await migratedDatabase({ schema: 'checkout', migrations, migrate })
  db = openDatabase({ url: database.url('checkout'), schema: 'checkout', entities: [SessionEntity, LinkEntity] })
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

const logger = createLogger('checkout', 'silent')
const merchant_id = newId('mrc')
const hour = 3_600_000
const period = () => ({
  from: new Date(Date.now() - hour).toISOString(),
  until: new Date(Date.now() + hour).toISOString(),
})

const tables = {
  checkout_sessions: ['cs', 'completed', 'pending'],
  payment_links: ['pl', 'paid', 'active'],
} as const
type Table = keyof typeof tables

/** Inserts sessions or links that were paid, or are open without a transaction, and returns their payments. */
async function payables(table: Table, { count = 1, paid = true } = {}): Promise<Payment[]> {
  const [prefix, final, open] = tables[table]
  const payments = Array.from({ length: count }, () => ({
    ...{ id: newId('txn'), payable_id: newId(prefix), merchant_id, amount_cents: 25_000, currency: 'MXN' },
    captured_at: new Date().toISOString(),
  }))
  const own =
    table === 'payment_links'
      ? [`concepto, amount_cents, updated_at`, `'Curso', 25000, now()`]
      : [
          'payment_id, transaction_status, session_type, checkout_type, ui_config_version, line_items, amount_total, modified_at',
          `nextval('checkout.payment_ids'), 'Approved', 'payment', 'hosted', '1', '[]', 25000, now()`,
        ]
  await database.query(
    `insert into checkout.${table} (id, transaction_id, merchant_id, status, merchant_name, correlation_id, payment_intent_id, url,
       currency, payment_method_types, attempt_count, decline_count, created_at, expires_at, ${own[0]})
     select payable_id, case when $2 then id end, merchant_id, $3, 'Shop', 'corr', payable_id, 'https://x.mx', 'MXN', '["card"]', 1, 0, now(),
       now() + interval '1 day', ${own[1]}
     from jsonb_to_recordset($1::jsonb) as payment (id text, payable_id text, merchant_id text)`,
    [JSON.stringify(payments), paid, paid ? final : open],
  )
  return payments
}

/** Transactions with these payments. `answers` false is a release that does not know the commands. */
function fakeTransactions(captured: readonly Payment[], answers = true) {
  const sizes: number[] = []
  const answer = ({ name, data }: Message): Message => {
    if (name === 'reconciliation.find_unpaid') {
      const asked = (data as CommandData<'reconciliation.find_unpaid'>).payables
      sizes.push(asked.length)
      const isPaid = (id: string, transaction: string | null) =>
        captured.some(payment => payment.payable_id === id && payment.id === transaction)
      const unpaid = asked.filter(payable => !isPaid(payable.id, payable.transaction_id))
      return replyMessage('reconciliation.unpaid', { ids: unpaid.map(({ id }) => id) })
    }
    const { after } = data as CommandData<'reconciliation.list_payments'>
    const next = captured.findIndex(({ id }) => id === after.id) + 1
    return replyMessage('reconciliation.payments', { payments: captured.slice(next, next + 2) })
  }
  let closed = false
  const commands = {
    connected: () => true,
    request: async (command: Message) =>
      answers ? { outcome: 'reply' as const, reply: answer(command) } : { outcome: 'no_reply' as const },
    close: async () => {
      closed = true
    },
  }
  return { deps: { db, openCommands: () => commands }, sizes, isClosed: () => closed }
}

async function differences(captured: readonly Payment[]): Promise<Difference[]> {
  const found: Difference[] = []
  const { deps, isClosed } = fakeTransactions(captured)
  for await (const page of paymentDifferences(deps, period())) found.push(...page)
  expect(isClosed()).toBe(true)
  return found
}

describe.each(['checkout_sessions', 'payment_links'] as const)('rows of %s', table => {
  test('do not differ when their payments are captured, or when they are open', async () => {
    const paid = await payables(table, { count: 5 })
    await payables(table, { paid: false })
    expect(await differences(paid)).toEqual([])
  })

  test('differ when transactions does not know their payment', async () => {
    const [paid, forged] = await payables(table, { count: 2 })
    expect(await differences([paid!])).toEqual([{ kind: 'unpaid', id: forged?.payable_id, transaction_id: forged?.id }])
  })

  test('differ when they do not name a captured payment', async () => {
    const paid = await payables(table, { count: 3 })
    const [open] = await payables(table, { paid: false })
    const other = { ...paid[0]!, id: newId('txn') }
    const unknown = { ...paid[0]!, id: newId('txn'), payable_id: newId('cs') }
    const found = await differences([...paid, open!, other, unknown])
    expect(found).toHaveLength(3)
    expect(found).toEqual(
      expect.arrayContaining(
        [open!, other, unknown].map(({ id: transaction_id, payable_id: id }) => ({
          kind: 'unfulfilled',
          id,
          transaction_id,
        })),
      ),
    )
  })

  test('are sent in pages of 200, each once', async () => {
    const paid = await payables(table, { count: 450 })
    const { deps, sizes } = fakeTransactions(paid.slice(0, 1))
    const found: Difference[] = []
    for await (const page of paymentDifferences(deps, period())) found.push(...page)
    expect(sizes).toEqual([200, 200, 50])
    expect(new Set(found.map(({ id }) => id)).size).toBe(449)
  })
})

test('fails when transactions does not reply, and is repeated with the same period', async () => {
  const { deps, isClosed } = fakeTransactions(await payables('payment_links'), false)
  await database.query(`update checkout.reconciliation set next_at = now(), checked_until = now() - interval '2 hours'`)
  const stopping = new AbortController().signal
  await expect(reconcileDaily({ db, logger, stopping }, () => paymentDifferences(deps, period()))).rejects.toThrow(
    'Transactions did not answer reconciliation.find_unpaid: no_reply.',
  )
  expect(isClosed()).toBe(true)
  const [row] = await database.query(
    `select checked_until < now() - interval '1 hour' as unchanged, next_at < now() + interval '16 minutes' as soon from checkout.reconciliation`,
  )
  expect(row).toEqual({ unchanged: true, soon: true })
})
