import { newId, type PayableId } from '@cobro/contracts'
import { type Database, migrate, newRow, openDatabase } from '@cobro/database'
import { erasePayer } from '@cobro/service'
import { explainQuery, hasSequentialScan, indexesOf, migratedDatabase, type TestDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-checkout.ts'
import { LinkEntity } from '../src/payables/link-entity.ts'
import { SessionEntity } from '../src/payables/session-entity.ts'
import { PaymentAttemptEntity } from '../src/payment-attempts/payment-attempt-entity.ts'
import { checkoutPayerData } from '../src/personal-data/checkout-payer-data.ts'

const ana = 'ana@example.com'
let database: TestDatabase
let db: Database
beforeEach(async () => {
  database = await migratedDatabase({ schema: 'checkout', migrations, migrate })
  const { schema, entities } = checkoutPayerData
  db = openDatabase({ url: database.url('checkout'), schema, entities })
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

const erase = () => erasePayer(db, checkoutPayerData, ana)
const now = new Date()
const later = new Date(now.getTime() + 86_400_000)
const payable = () => ({
  ...{ merchant_id: newId('mrc'), merchant_name: 'M', correlation_id: newId('corr'), payment_intent_id: newId('pi') },
  ...{ currency: 'MXN', attempt_count: 0, decline_count: 0, created_at: now, expires_at: later, url: 'https://p.mx' },
  payment_method_types: ['card'],
})
let paymentIds = 0

async function session(customer: object | null, change: object = {}) {
  const row = {
    ...{ ...payable(), id: newId('cs'), payment_id: ++paymentIds, status: 'completed', transaction_status: 'Approved' },
    ...{ amount_total: 100, session_type: 'payment', checkout_type: 'hosted', ui_config_version: 'V1', line_items: [] },
    ...{ customer, customer_email: (customer as { email?: string })?.email ?? null, modified_at: now, ...change },
  }
  await db.write(async tx => void newRow(tx, SessionEntity, row as never))
  return row.id
}
async function link(payer_email: string | null, change: object = {}) {
  const row = { ...payable(), id: newId('pl'), status: 'paid', concepto: 'C', amount_cents: 100, updated_at: now }
  await db.write(async tx => void newRow(tx, LinkEntity, { ...row, payer_email, ...change } as never))
  return row.id
}
const attempt = (payable_id: PayableId, payer_email: string | null, status = 'approved') =>
  db.write(
    async tx =>
      void newRow(tx, PaymentAttemptEntity, {
        ...{ payment_intent_id: newId('pi'), number: 1, payable_id, merchant_id: newId('mrc'), status, payer_email },
        ...{ correlation_id: newId('corr'), payment_method: 'card', amount_cents: 100, currency: 'MXN' },
        ...{ deadline: now, resolve_count: 0, created_at: now },
      } as never),
  )
const rowOf = async (table: string, id: string) =>
  (await database.query(`select * from checkout.${table} where id = $1`, [id]))[0]
const events = async () =>
  (await database.query(`select convert_from(body, 'UTF8')::jsonb as message from checkout.outbox order by id`)).map(
    ({ message }) => message,
  )

test('erases more rows than a batch, however the address is written, with an audit event for each batch', async () => {
  const sessions: string[] = []
  for (let i = 0; i < 210; i++) sessions.push(await session({ first_name: 'Ana', email: 'Ana@Example.com' }))
  const paid = await link('ANA@EXAMPLE.COM', { metadata: { to: ana, plan: 'gold' } })
  await attempt(paid, ana)
  expect(await erase()).toEqual({
    erased: { sessions: 210, links: 1, payment_attempts: 1 },
    ...{ waiting: 0, unpublished: 0 },
  })
  expect(await database.query('select 1 from checkout.checkout_sessions where customer is not null')).toEqual([])
  expect(await rowOf('payment_links', paid)).toMatchObject({
    ...{ payer_email: null, metadata: { to: '[erased]', plan: 'gold' }, amount_cents: '100', updated_at: now },
  })
  const erased = (await events()).map(({ name, data, target_id, merchant_id }) => [name, data, target_id, merchant_id])
  expect(erased).toEqual([
    ['payer.erased', { id: null, sessions: 200, links: 1, payment_attempts: 0 }, null, null],
    ['payer.erased', { id: null, sessions: 10, links: 0, payment_attempts: 1 }, null, null],
  ])
  expect(JSON.stringify(await events())).not.toMatch(/ana@/i)
  // Someone ran it, though it changed nothing.
  expect(await erase()).toMatchObject({ erased: { sessions: 0, links: 0, payment_attempts: 0 }, waiting: 0 })
  expect((await events())[2].data).toEqual({ id: null, sessions: 0, links: 0, payment_attempts: 0 })
})

test('two runs at once erase everything once', async () => {
  for (let i = 0; i < 30; i++) await attempt(await session({ email: ana }), ana)
  const [first, second] = await Promise.all([erase(), erase()])
  expect((first.erased.sessions ?? 0) + (second.erased.sessions ?? 0)).toBeGreaterThanOrEqual(30)
  expect([first.waiting, second.waiting, await checkoutPayerData.countWaiting(db, ana)].at(-1)).toBe(0)
})

test('what is being paid waits until the payment has ended, and what can still be paid does not', async () => {
  const paying = await session({ email: ana }, { status: 'pending', transaction_status: 'Pending' })
  await attempt(paying, ana, 'declined')
  await attempt(paying, ana, 'running')
  const withVoucher = await link(ana, { status: 'active' })
  await attempt(withVoucher, ana, 'pending')
  const open = await link(ana, { status: 'active' })
  expect(await erase()).toEqual({
    ...{ erased: { sessions: 0, links: 1, payment_attempts: 0 }, waiting: 5, unpublished: 0 },
  })
  expect(await rowOf('payment_links', open)).toMatchObject({ payer_email: null, status: 'active' })
  await database.query(`update checkout.payment_attempts set status = 'approved' where status = 'pending'`)
  await database.query(`update checkout.payment_attempts set status = 'failed' where status = 'running'`)
  expect(await erase()).toMatchObject({ erased: { sessions: 1, links: 1, payment_attempts: 3 }, waiting: 0 })
})

test('a customer without an address is the payer of its attempts, and one with another address is someone else', async () => {
  const unnamed = await session({ first_name: 'Ana', last_name: 'López' })
  const gift = await session({ first_name: 'Berta', email: 'berta@example.com' })
  const untouched = await session({ first_name: 'Carla' })
  for (const id of [unnamed, gift]) await attempt(id, ana)
  const before = await rowOf('checkout_sessions', gift)
  const found = await db.write((tx, emit) => checkoutPayerData.find(tx, emit, ana))
  expect(found).toMatchObject({ sessions: [{ id: unnamed }], links: [], payment_attempts: [{}, {}] })
  expect(await erase()).toMatchObject({ erased: { sessions: 1, payment_attempts: 2 } })
  expect(await rowOf('checkout_sessions', unnamed)).toMatchObject({ customer: null })
  expect(await rowOf('checkout_sessions', gift)).toEqual(before)
  expect(await rowOf('checkout_sessions', untouched)).toMatchObject({ customer: { first_name: 'Carla' } })
})

test('an unpublished message with the address is counted', async () => {
  const id = await session({ email: ana })
  await db.write(async (tx, emit) => {
    const row = await tx.findOneOrFail(SessionEntity, { id } as never)
    emit('checkout_session.completed', row)
  })
  expect(await erase()).toMatchObject({ erased: { sessions: 1 }, waiting: 0, unpublished: 1 })
})

test('finds the rows of a payer among many by index', async () => {
  const many = 'generate_series(1, 4000) as n'
  await database.query(
    `insert into checkout.checkout_sessions select (jsonb_populate_record(row, jsonb_build_object('id', 'cs_' || n,
       'payment_intent_id', 'pi_' || n, 'payment_id', 1000 + n, 'customer_email', 'P' || n || '@Example.com'))).*
     from checkout.checkout_sessions row, ${many} where row.id = $1`,
    [await session({ email: 'x@example.com' })],
  )
  await database.query(
    `insert into checkout.payment_links select (jsonb_populate_record(row, jsonb_build_object('id', 'pl_' || n,
       'payment_intent_id', 'pl_' || n, 'payer_email', 'P' || n || '@Example.com'))).*
     from checkout.payment_links row, ${many} where row.id = $1`,
    [await link('x@example.com')],
  )
  await attempt('cs_1' as never, 'x@example.com')
  await database.query(
    `insert into checkout.payment_attempts select (jsonb_populate_record(row, jsonb_build_object(
       'payment_intent_id', 'pi_' || n, 'payable_id', 'cs_' || n, 'payer_email', 'P' || n || '@Example.com'))).*
     from checkout.payment_attempts row, ${many}`,
  )
  const statements: string[] = []
  const recorded = { execute: (sql: string, params: unknown[]) => record(sql, params) }
  const record = (sql: string, params: readonly unknown[] = []) => {
    statements.push(db.orm.em.getPlatform().formatQuery(sql, params))
    return Promise.resolve([])
  }
  const tx = { ...recorded, map: () => ({}), getMetadata: (e: never) => db.orm.em.getMetadata(e) }
  Object.assign(tx, { getDriver: () => db.orm.em.getDriver() })
  const batch = { email: 'p7@example.com', always: false }
  await checkoutPayerData.eraseBatch(tx as never, (() => undefined) as never, batch)
  await checkoutPayerData.find(tx as never, (() => undefined) as never, batch.email)
  await checkoutPayerData.countWaiting({ ...db, execute: record as never }, batch.email)
  expect(statements).toHaveLength(7)
  // Without statistics of the new indexes, and with them.
  for (const analyzed of [false, true]) {
    if (analyzed)
      await database.query('analyze checkout.checkout_sessions, checkout.payment_links, checkout.payment_attempts')
    const used = new Set<string>()
    for (const statement of statements) {
      const plan = await explainQuery(database.query, statement)
      expect([statement, hasSequentialScan(plan, /./)]).toEqual([statement, false])
      for (const index of indexesOf(plan)) used.add(index)
    }
    expect([...used]).toEqual(
      expect.arrayContaining(['checkout_sessions_payer', 'payment_links_payer', 'payment_attempts_payer']),
    )
  }
})
