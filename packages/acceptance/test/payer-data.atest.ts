import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { databaseUrls, encryptTestCard, hostedApiUrl, payInCash } from '@cobro/local-stack'
import { programEnv, testSetting, waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { dumpTables, readFiles } from '../src/canary-places.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { isSigned, startReceiver } from '../src/webhook-receiver.ts'

const mark = randomBytes(4).toString('hex')
/** The payer to erase, and others whose addresses contain hers or differ by a tag. */
const ana = { email: `ana.${mark}@example.test`, first_name: `Anacleta${mark}`, last_name: `Robles${mark}` }
const others = [`diana.${mark}@example.test`, `ana.${mark}+tienda@example.test`, `ana.${mark}@example.test.mx`]
const operatorName = `Operadora ${mark}`

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
let failing: Awaited<ReturnType<typeof startReceiver>>
let secret: string
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
  receiver = await startReceiver()
  failing = await startReceiver(() => 500)
  secret = (await create('/api/webhooks', { url: receiver.url, events: ['*'] })).secret
  await create('/api/webhooks', { url: failing.url, events: ['payment_link.paid'] })
})
afterAll(async () => {
  await receiver?.stop()
  await failing?.stop()
  await stack?.stop()
})

async function create(path: string, body: object, headers = {}) {
  const answer = await clients.merchant.call('POST', path, body, headers)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.body.data ?? answer.body
}
const order = { amount_total: 25_000, return_url: 'https://shop.mx' }
const session = (email: string, change: object = {}) =>
  create('/checkout/v1/sessions', {
    ...{ ...order, customer: { ...ana, email }, metadata: { contact: email, plan: 'gold' } },
    ...change,
  })
const link = (payer_email: string) =>
  create('/checkout/v1/links', { amount_cents: 25_000, concepto: 'Curso', payer_email })

/** Pays as the page does. */
async function pay({ id }: { id: string }, payment: object = {}): Promise<void> {
  const url = hostedApiUrl(stack.stack.hosted_url, id)
  const { data } = (await (await fetch(url)).json()) as { data: Parameters<typeof encryptTestCard>[0] }
  const card_jwe = await encryptTestCard(data, '4242424242424242')
  const { status } = await fetch(`${url}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ method: 'card', card_jwe, ...payment }),
  })
  expect(status).toBe(200)
}

async function cancelDelivery({ id }: { id: string }): Promise<void> {
  const { status, text } = await clients.merchant.call('PUT', `/api/webhook-deliveries/${id}`, { status: 'cancelled' })
  expect([status, text]).toEqual([200, expect.any(String)])
}

/** Runs a command as an operator does, with the databases of the stack. */
async function ops(...args: string[]) {
  const database = new URL(stack.stack.postgres_url).pathname.slice(1)
  const { url } = databaseUrls(testSetting('TEST_POSTGRES_URL'), database)
  const env = {
    ...programEnv(),
    CHECKOUT_DATABASE_URL: url('checkout'),
    TRANSACTIONS_DATABASE_URL: url('transactions'),
    WEBHOOKS_DATABASE_URL: url('webhooks'),
    GATEWAY_DATABASE_URL: url('gateway'),
  }
  const main = join(import.meta.dirname, '..', '..', 'ops', 'src', 'main.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=cobro-source', main, ...args], { env })
  return JSON.parse(stdout)
}

/** Returns the tables in which a text occurs, an address only where it is not part of another one. */
function tablesWith(dump: Record<string, string>, text: string): string[] {
  const written = text.replace(/[.+]/g, '\\$&')
  const occurrence = new RegExp(`(?<![\\w.+'-])${written}(?![\\w+-]|\\.\\w)`, 'i')
  // A line break is escaped in the dump, and would be a letter before the address.
  return Object.keys(dump)
    .filter(table => occurrence.test((dump[table] ?? '').replaceAll('\\n', ' ')))
    .sort()
}

/** Everything that is stored about the other payers. */
const rowsOfOthers = async () => {
  const like = [`%${others[0]}%`, `%${others[1]}%`, `%${others[2]}%`]
  const rows = (table: string, text = `row.*::text`) =>
    stack.query(`select to_jsonb(row.*) as row from ${table} row where lower(${text}) like any($1) order by 1`, [like])
  return Promise.all([
    rows('checkout.checkout_sessions'),
    rows('checkout.payment_links'),
    rows('checkout.payment_attempts'),
    rows('transactions.transactions'),
    rows('webhooks.events', `convert_from(row.body, 'UTF8')`),
  ])
}

/** Waits until all that was emitted has arrived, and every delivery of `events` has had its attempts. */
const settled = () =>
  waitFor(async () => {
    const [row] = await stack.query(
      `select (select count(*) from checkout.outbox) + (select count(*) from transactions.outbox)
         + (select count(*) from webhooks.deliveries d where merchant_id = $1 and (status = 'delivering'
           or status = 'pending' and attempt_count < 2)) as waiting,
         (select count(*) from webhooks.events where merchant_id = $1) as events`,
      [stack.stack.merchant_id],
    )
    return row.waiting === '0' && row.events
  })
async function quiet() {
  for (let before = await settled(); ; ) {
    await new Promise(resolve => setTimeout(resolve, 1_000))
    const now = await settled()
    if (now === before) return
    before = now
  }
}

test('erases a payer from everything that whole payments have stored, and no one else', async () => {
  const shown = `ANA.${mark}@Example.TEST`
  const paid = await session(shown, { external_id: 'A-1' })
  await pay(paid)
  await create('/checkout/v1/sessions', { ...order, customer: { ...ana } }, { 'idempotency-key': `key-${mark}` })
  const cancelled = await session(ana.email)
  await create(`/checkout/v1/sessions/${cancelled.id}/cancel`, {})
  const paidLink = await link(ana.email)
  await pay(paidLink)
  const openLink = await link(ana.email)
  const inCash = await session(ana.email, { payment_method_types: ['cash'] })
  const { voucher } = (await payInCash(stack.stack.hosted_url, inCash.id)).body as any
  const typed = await create('/checkout/v1/links', { amount_cents: 9_900, concepto: 'Libro' })
  await pay(typed, { payer_email: shown })
  const manual = await clients.operator.call(
    'POST',
    '/api/transactions',
    {
      ...{ rail: 'online_cnp', payment_method: 'card', amount_cents: 25_000 },
      ...{ payer_email: shown, customer_ref: `customer-${mark}` },
    },
    { 'x-merchant-id': stack.stack.merchant_id },
  )
  expect(manual.status).toBe(201)
  for (const email of others) {
    await pay(await session(email, { customer: { first_name: 'Otra', last_name: 'Persona', email } }))
    await pay(await link(email))
  }
  const transactionOf = async ({ correlation_id }: { correlation_id: string }) =>
    (await clients.merchant.call('GET', `/api/transactions?correlation_id=${correlation_id}`)).body.data[0]
  await create(`/api/transactions/${(await transactionOf(paid)).id}/refund`, {})
  await waitFor(async () => receiver.received.some(({ body }) => body.event === 'payment.refunded'))
  await quiet()
  const transaction = await transactionOf(paid)

  const before = await dumpTables(stack)
  const untouched = await rowsOfOthers()
  // The check of the check: the search finds what is there. The audit log never has it.
  for (const text of [ana.email, ana.first_name, ana.last_name, ...others]) {
    expect(tablesWith(before, text)).toEqual(expect.arrayContaining(['checkout.checkout_sessions', 'webhooks.events']))
    expect(tablesWith(before, text).filter(table => table.startsWith('audit.'))).toEqual([])
    expect(tablesWith(before, text).filter(table => /^(gateway|acquirer_sandbox)\./.test(table))).toEqual([])
  }

  // Nor do the logs and the spool of calls.
  const files = await readFiles(stack.dir, () => true)
  for (const text of [ana.email, ana.first_name, ana.last_name]) expect(tablesWith(files, text)).toEqual([])

  const exported = await ops('payer', 'export', shown, '--by', operatorName)
  expect(Object.keys(exported)).toEqual([
    ...[
      'email',
      'exported_at',
      'sessions',
      'links',
      'payment_attempts',
      'transactions',
      'disputes',
      'approvals',
      'webhook_events',
      'mails',
      'saved_views',
    ],
  ])
  expect(exported.email).toBe(ana.email)
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)
  expect(idsOf(exported.sessions)).toEqual(expect.arrayContaining([paid.id, cancelled.id, inCash.id]))
  expect(exported.sessions).toHaveLength(4)
  expect(idsOf(exported.links)).toEqual([paidLink.id, openLink.id])
  expect(exported.payment_attempts).toHaveLength(4)
  expect(exported.transactions).toHaveLength(5)
  const held = exported.webhook_events.find((event: any) => event.event === 'payment_link.paid')
  expect(held.deliveries.map(({ status }: any) => status).sort()).toEqual(['pending', 'succeeded'])
  expect(JSON.stringify(exported)).not.toMatch(/tok_|whsec_|vk_(test|live)|_jwe"|eyJ|idempotency/)
  for (const email of others) expect(JSON.stringify(exported)).not.toContain(`"${email}"`)

  const first = await ops('payer', 'erase', ` ${ana.email.toUpperCase()} `, '--by', operatorName)
  expect(first).toEqual({
    complete: false,
    erased: {
      ...{ sessions: 3, links: 2, payment_attempts: 3, transactions: 5, disputes: 0, approvals: 0 },
      webhook_events: exported.webhook_events.length - 1,
      mails: 0,
      saved_views: 0,
    },
    // The session and the attempt whose voucher can be paid, and the event that an endpoint has not received.
    waiting: { checkout: 2, transactions: 0, 'webhooks-dispatcher': 1, gateway: 0 },
    unpublished: { checkout: 0, transactions: 0, 'webhooks-dispatcher': 0, gateway: 0 },
  })
  const between = await dumpTables(stack)
  expect(tablesWith(between, ana.email)).toEqual([
    ...['checkout.checkout_sessions', 'checkout.idempotency_keys', 'checkout.payment_attempts', 'webhooks.events'],
  ])
  expect(tablesWith(between, `customer-${mark}`)).toEqual([])
  expect(await rowsOfOthers()).toEqual(untouched)
  // A link that was still open can still be paid.
  expect(
    (await clients.payer.call('GET', new URL(openLink.url).pathname.replace('/links/', '/api/public/links/'))).status,
  ).toBe(200)
  await pay(openLink)

  const [waiting] = await stack.query(`select id from webhooks.deliveries where status = 'pending' and event_id = $1`, [
    held.id,
  ])
  await cancelDelivery(waiting)
  await clients.operator.call('POST', `/api/sandbox/vouchers/${voucher.reference}/pay`, undefined, {
    'x-merchant-id': stack.stack.merchant_id,
  })
  await waitFor(async () => {
    const { body } = await clients.merchant.call('GET', `/checkout/v1/sessions/${inCash.id}`)
    return (body.data ?? body).status === 'completed'
  })
  await quiet()
  for (const delivery of await stack.query(
    `select id from webhooks.deliveries where status = 'pending' and merchant_id = $1`,
    [stack.stack.merchant_id],
  ))
    await cancelDelivery(delivery)
  const second = await ops('payer', 'erase', ana.email, '--by', operatorName)
  expect(second).toMatchObject({ complete: true, erased: { sessions: 1, payment_attempts: 1, transactions: 0 } })
  expect(second.erased.webhook_events).toBeGreaterThan(1)
  const after = await dumpTables(stack)
  // What answers a repeated call under the same key expires within a day.
  for (const text of [ana.email, ana.first_name, ana.last_name])
    expect(tablesWith(after, text)).toEqual(['checkout.idempotency_keys'])
  expect(await rowsOfOthers()).toEqual(untouched)
  const third = await ops('payer', 'erase', ana.email)
  expect([third.complete, ...Object.values(third.erased)]).toEqual([true, ...Array(9).fill(0)])
  const nothing = await ops('payer', 'export', ana.email)
  expect(Object.values(nothing).slice(2)).toEqual(Array(9).fill([]))

  await theRestWorks(held.id, transaction)
})

/** Expects that books, deliveries and feed are as before, and that the audit log says who ran the commands. */
async function theRestWorks(eventId: string, transaction: any): Promise<void> {
  expect(JSON.parse(await stack.command('transactions', 'ledger-check')).ok).toBe(true)
  const kept = (await clients.merchant.call('GET', `/api/transactions/${transaction.id}`)).body.data
  const { payer_email, customer_ref, metadata, ...books } = kept
  expect([payer_email, customer_ref, metadata]).toEqual([null, null, { contact: '[erased]', plan: 'gold' }])
  expect(transaction).toMatchObject(books)

  const page = (await clients.merchant.call('GET', '/api/webhook-events?after=0&limit=200')).body
  const sequences = page.data.map(({ sequence }: { sequence: number }) => sequence)
  expect(sequences).toEqual(Array.from({ length: page.head }, (_, place) => place + 1))

  const [delivery] = await stack.query(
    `select id from webhooks.deliveries where event_id = $1 and status = 'succeeded'`,
    [eventId],
  )
  const before = receiver.received.length
  expect((await clients.merchant.call('POST', `/api/webhook-deliveries/${delivery.id}/redeliver`)).status).toBeLessThan(
    300,
  )
  await waitFor(async () => receiver.received.length > before)
  const [again] = receiver.received.slice(before)
  expect(again?.body).toMatchObject({ id: eventId, data: { payer_email: null, amount_cents: 25_000 } })
  expect(again && isSigned(again, secret)).toBe(true)

  const recorded = await waitFor(async () => {
    const rows = await stack.query(
      `select action, actor, metadata, merchant_id from audit.events where actor ->> 'id' = $1 order by occurred_at, id`,
      [operatorName],
    )
    return rows.filter(({ action }) => action === 'payer.erased').length >= 6 && rows
  })
  expect(new Set(recorded.map(({ action }) => action))).toEqual(new Set(['payer.exported', 'payer.erased']))
  for (const row of recorded) {
    expect([row.actor, row.merchant_id]).toEqual([{ type: 'command', id: operatorName }, null])
    expect(Object.values(row.metadata).every(count => typeof count === 'number')).toBe(true)
  }
}
