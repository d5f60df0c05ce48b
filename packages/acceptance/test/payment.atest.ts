import { encryptTestCard, payByCard, payInCash } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, clientsOf } from '../src/api-client.ts'
import { checkQuery } from '../src/check-query.ts'
import { metricOf, scrapeMetrics } from '../src/scraped-metrics.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { isSigned, startReceiver } from '../src/webhook-receiver.ts'
import { readAlerts, readFromRoot, writtenQueries } from '../src/written-queries.ts'

/** What a test opened; closed even if the test fails. */
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
})
afterAll(() => stack?.stop())

const openSession = async (client: ApiClient, change: object = {}) =>
  (
    await client.call('POST', '/checkout/v1/sessions', {
      amount_total: 25_000,
      return_url: 'https://shop.mx/back',
      ...change,
    })
  ).body
const pay = (session: { id: string }, card: string) => payByCard(stack.stack.hosted_url, session.id, card)

test('declines and then approves a payment, delivers its webhooks, lists it and records it in the audit log', async () => {
  const { merchant, operator } = clients
  const receiver = await startReceiver((_webhook, before) => (before.length === 0 ? 500 : 200))
  closing.push(receiver.stop)
  const events = ['checkout_session.created', 'payment.declined', 'payment.approved', 'checkout_session.completed']
  const endpoint = (await merchant.call('POST', '/api/webhooks', { url: receiver.url, events })).body
  expect(endpoint).toEqual({
    id: expect.stringMatching(/^whk_/),
    url: receiver.url,
    events,
    status: 'active',
    secret: expect.stringMatching(/^whsec_/),
  })

  const session = await openSession(merchant, { external_id: 'A-1', metadata: { plan: 'gold' } })
  expect(await pay(session, '4000000000000002')).toEqual({
    status: 402,
    request_id: expect.stringMatching(/^req_/),
    body: { error: 'card_declined', declined: true },
  })
  const paid = await pay(session, '4242424242424242')
  expect(paid).toMatchObject({
    status: 200,
    body: { status: 'approved', redirect_url: expect.stringContaining('status=completed') },
  })

  const read = await merchant.call('GET', `/checkout/v1/sessions/${session.id}`)
  expect(read.body).toMatchObject({ status: 'completed', transaction_status: 'Approved' })
  const list = await merchant.call(
    'GET',
    `/api/transactions?correlation_id=${session.correlation_id}&order=created_at&dir=asc`,
  )
  expect(list.body).toMatchObject({
    count: 2,
    data: [
      { status: 'declined', decline_reason: 'card_declined', card: { brand: 'visa', last4: '0002' } },
      {
        id: read.body.transaction_id,
        status: 'approved',
        amount_cents: 25_000,
        order_id: 'A-1',
        metadata: { plan: 'gold' },
        card: { brand: 'visa', last4: '4242' },
      },
    ],
  })

  await waitFor(() => receiver.acknowledged().length >= 4)
  expect(receiver.acknowledged().sort()).toEqual([...events].sort())
  const [first, again] = receiver.received.filter(
    webhook => webhook.headers['x-service-delivery'] === receiver.received[0]!.headers['x-service-delivery'],
  )
  expect([first!.status, again!.status, again!.rawBody === first!.rawBody]).toEqual([500, 200, true])
  for (const webhook of receiver.received) {
    expect(isSigned(webhook, endpoint.secret)).toBe(true)
    expect(webhook.headers['x-service-event']).toBe(webhook.body.event)
    expect(webhook.body).toMatchObject({
      object: 'event',
      merchant_id: session.merchant_id,
      id: expect.stringMatching(/^evt_/),
    })
    expect(webhook.headers).not.toHaveProperty('traceparent')
    expect(webhook.headers).not.toHaveProperty('baggage')
  }

  const recorded = [
    'checkout_session.created',
    'checkout_session.viewed',
    'payment.attempted',
    'payment.declined',
    'payment.approved',
    'checkout_session.completed',
    'webhook.attempt_failed',
  ]
  const isOpening = ({ action, path }: { action: string; path: string }) =>
    action === 'http.request' && path === '/checkout/v1/sessions'
  const trail = await waitFor(async () => {
    const { body } = await operator.call(
      'GET',
      `/api/events?correlation_id=${session.correlation_id}&order=occurred_at&dir=asc&limit=200`,
      undefined,
      { 'x-merchant-id': session.merchant_id },
    )
    const actions = body.data.map((event: { action: string }) => event.action)
    expect(actions).toEqual(expect.arrayContaining(recorded))
    expect(body.data.find(isOpening)).toBeDefined()
    return actions.filter((action: string) => action === 'webhook.delivered').length === 4 && body.data
  })
  const approved = trail.find((event: { action: string }) => event.action === 'payment.approved')
  expect(approved).toMatchObject({
    category: 'payment',
    target_id: read.body.transaction_id,
    amount_cents: 25_000,
    currency: 'MXN',
    metadata: { brand: 'visa', last4: '4242' },
  })
  const created = trail.find(isOpening)
  expect(created).toMatchObject({
    status_code: 201,
    method: 'POST',
    merchant_id: session.merchant_id,
    actor: { type: 'key' },
  })
  const domainEvent = trail.find((event: { action: string }) => event.action === 'checkout_session.created')
  expect(domainEvent.request_id).toBe(created.request_id)
  // The merchant and the audit log see the same event id.
  const delivered = receiver.received.find(webhook => webhook.body.event === 'payment.approved')
  expect(delivered?.body.id).toBe(approved.id)
})

test('gives every call its own X-Request-Id and exactly one http.request event', async () => {
  const { merchant, operator, payer } = clients
  await merchant.call('GET', '/api/transactions')
  await merchant.call('POST', '/checkout/v1/sessions', { amount_total: 0 })
  await merchant.call('GET', '/checkout/v1/sessions/cs_nonsense')
  await payer.call('GET', '/api/transactions')
  await payer.call('GET', '/no/such/path')
  await merchant.call('PATCH', '/api/sucursales', {})
  await payer.call('GET', '/health')
  const ids = [...merchant.requestIds, ...payer.requestIds]
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every(id => /^req_[0-9a-z]{26}$/.test(id))).toBe(true)
  for (const id of ids) {
    const found = await waitFor(async () => {
      const { body } = await operator.call('GET', `/api/events?request_id=${id}&action=http.request`)
      return body.count > 0 && body
    })
    expect([id, found.count]).toEqual([id, 1])
  }
})

test("hides a merchant's objects from other merchants", async () => {
  const { merchant, stranger, client, payer } = clients
  const session = await openSession(merchant)
  await pay(session, '4242424242424242')
  const [transaction] = (await merchant.call('GET', `/api/transactions?correlation_id=${session.correlation_id}`)).body
    .data
  for (const path of [`/checkout/v1/sessions/${session.id}`, `/api/transactions/${transaction.id}`]) {
    expect([path, (await stranger.call('GET', path)).status]).toEqual([path, 403])
    expect([path, (await payer.call('GET', path)).status]).toEqual([path, 401])
  }
  expect((await stranger.call('GET', `/api/transactions?correlation_id=${session.correlation_id}`)).body.count).toBe(0)
  expect((await client.call('GET', `/api/transactions/${transaction.id}`)).status).toBe(200)
  expect((await client.call('GET', `/checkout/v1/sessions/${session.id}`)).status).toBe(403)
  expect((await client.call('GET', '/api/events')).status).toBe(403)
  expect((await merchant.call('GET', '/api/events')).status).toBe(403)
})

test.each([
  ['5555555555554444', 200, { status: 'approved' }],
  ['378282246310005', 200, { status: 'approved' }],
  ['4000000000009995', 402, { error: 'insufficient_funds' }],
  ['4000000000000069', 402, { error: 'expired_card' }],
  ['4000000000000127', 402, { error: 'incorrect_cvc' }],
  ['4100000000000019', 402, { error: 'card_declined' }],
  ['4000000000000119', 502, { error: 'processing_error' }],
  ['4000000000006975', 200, { status: 'approved' }],
])('the test card ending in %s comes to %i', async (card, status, body) => {
  const session = await openSession(clients.merchant)
  const answer = await pay(session, card)
  expect(answer).toMatchObject({ status, body })
})

test('accepts an encrypted card only for the session, amount and attempt that it was encrypted for', async () => {
  const { merchant, stranger, payer } = clients
  const path = ({ id }: { id: string }) => `/hosted/v1/checkout/${id}`
  const own = await openSession(merchant)
  const hosted = (await payer.call('GET', path(own))).body.data
  const send = async (session: { id: string }, card_jwe: string) =>
    (await payer.call('POST', `${path(session)}/payments`, { method: 'card', card_jwe })).status
  const declined = await encryptTestCard(hosted, '4000000000000002')
  for (const other of [await openSession(merchant), await openSession(stranger)]) {
    expect(await send(other, declined)).toBe(400)
    expect((await pay(other, '4242424242424242')).status).toBe(200)
  }
  expect(await send(own, await encryptTestCard({ ...hosted, amount_total: 1 }, '4242424242424242'))).toBe(400)
  const old = { ...hosted, now: hosted.now - 11 * 60_000 }
  expect(await send(own, await encryptTestCard(old, '4242424242424242'))).toBe(400)
  expect(await send(own, declined)).toBe(402)
  expect(await send(own, declined)).toBe(400)
  expect((await pay(own, '4242424242424242')).status).toBe(200)
})

/** Triggers what the alerts and dashboard query, after payments and failures in earlier tests. */
async function useEverything() {
  const { merchant, client, operator, payer } = clients
  const { id } = await openSession(merchant)
  const inCash = await openSession(merchant, { payment_method_types: ['cash'] })
  const unreadable = { method: 'card', card_jwe: 'a.b.c.d.e' }
  const refused = await payer.call('POST', `/hosted/v1/checkout/${id}/payments`, unreadable)
  const paid = await pay({ id }, '4242424242424242')
  const { body } = await merchant.call('GET', `/checkout/v1/sessions/${id}`)
  const answers = [
    await client.call('POST', `/api/transactions/${body.transaction_id}/refund`),
    await payInCash(stack.stack.hosted_url, inCash.id),
    await payer.call('GET', `/hosted/v1/checkout/${id}/stream`),
    await operator.call('GET', '/api/events/export?format=ndjson'),
    await operator.call('GET', '/api/events/integrity'),
    await merchant.call('GET', '/api/webhook-events'),
    await merchant.call('GET', '/api/requests'),
  ]
  expect([refused, paid, ...answers].map(({ status }) => status)).toEqual([400, 200, 202, 202, ...Array(5).fill(200)])
}

/** A histogram exposes three series. */
const withoutSeries = (name: string) => name.replace(/_(?:count|sum|bucket)$/, '')

test('exposes every metric and label that the alerts and the dashboard query', async () => {
  await useEverything()
  await waitFor(async () => {
    const metrics = await scrapeMetrics(stack.stack)
    const faults = writtenQueries().flatMap(({ where, expr, usedLabels }) => {
      try {
        const labels = checkQuery(expr, metrics)
        return usedLabels.filter(label => !labels.includes(label)).map(label => `${where}: it has no label ${label}`)
      } catch (error) {
        return [`${where}: ${(error as Error).message}`]
      }
    })
    // Metrics appear within moments; a metric that is never recorded fails the test at the timeout.
    if (faults.length > 0) throw new Error(faults.join('\n'))
    return true
  })
})

test('reports manual refunds, failed daily runs and ledger discrepancies in metrics', async () => {
  const metrics = async () => {
    const names = [
      'cobro_manual_refunds_due',
      'cobro_refund_oldest_age_seconds',
      'cobro_daily_run_failed_books',
      'cobro_ledger_failed_checks_total',
    ]
    const [byHand, age = 0, failures, faults] = await Promise.all(
      names.map(name => metricOf(stack.stack, 'transactions', name)),
    )
    return { byHand, days: Math.floor(age / 86_400), failures, faults }
  }
  /** Expects metrics, with retries: a scrape omits one that takes longer than two seconds. */
  const report = (expected: Awaited<ReturnType<typeof metrics>>) =>
    waitFor(async () => {
      expect(await metrics()).toEqual(expected)
      return true
    })
  const check = async () => (await clients.operator.call('GET', '/api/ledger/check')).body.data.ok
  expect(await check()).toBe(true)
  await report({ byHand: 0, days: 0, failures: 0, faults: 0 })

  const { id } = await waitFor(
    async () => (await stack.query(`select id from transactions.transactions where refund_status = 'completed'`))[0],
  )
  const change = (what: string) => stack.query(`update transactions.${what} = $1`, [id])
  await change(
    `transactions set refund_status = 'processing', refund_requested_at = now() - interval '9 days' where id`,
  )
  await change('ledger_positions set pending_cents = pending_cents + 1 where transaction_id')
  await stack.query(
    `insert into transactions.daily_run_failures values (current_date, 'mrc_x', 'MXN', 1, now() + interval '1 day')`,
  )
  expect(await check()).toBe(false)
  await report({ byHand: 0, days: 9, failures: 1, faults: 1 })

  // A manual refund no longer waits for the acquirer.
  await change('refunds set by_hand = true where transaction_id')
  await report({ byHand: 1, days: 0, failures: 1, faults: 1 })

  await change('refunds set by_hand = false where transaction_id')
  await change(`transactions set refund_status = 'completed' where id`)
  await change('ledger_positions set pending_cents = pending_cents - 1 where transaction_id')
  await stack.query('delete from transactions.daily_run_failures')
  expect(await check()).toBe(true)
  await report({ byHand: 0, days: 0, failures: 0, faults: 1 })
})

test('documents exactly the metrics that exist', async () => {
  const [, section = ''] = /^## Metrics$(.*?)^## /ms.exec(readFromRoot('ARCHITECTURE.md')) ?? []
  const described = [...section.matchAll(/`(cobro_\w+)`/g)].map(([, name]) => name)
  await waitFor(async () => {
    const exposed = [...(await scrapeMetrics(stack.stack)).keys()].filter(name => name.startsWith('cobro_'))
    expect([...new Set(described)].sort()).toEqual([...new Set(exposed.map(withoutSeries))].sort())
    return true
  })
})

test('reports the readability of every metric that an alert reads from a server', async () => {
  const said = (await scrapeMetrics(stack.stack)).get('cobro_metric_readable')?.get('metric') ?? new Set()
  const asked = readAlerts().flatMap(({ expr }) => [...expr.matchAll(/\bcobro_\w+/g)].map(([name]) => name))
  const read = new Set(asked.filter(name => !/_(?:count|bucket|total|readable)$/.test(name)))
  expect(read.size).toBeGreaterThan(5)
  expect([...read].filter(name => !said.has(name))).toEqual([])
})

test("answers the runbook's queries under the operators' database role", async () => {
  const blocks = [...readFromRoot('RUNBOOK.md').matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql = '']) => sql)
  const statements = blocks.flatMap(sql => sql.split(/;$/m)).filter(text => text.trim() !== '')
  expect(statements.length).toBeGreaterThan(5)
  for (const statement of statements) await stack.queryAs('cobro_operator', statement)
})

test("hides secrets, payer data and message contents from the operators' database role", async () => {
  const readable = await stack.query(`
    select relnamespace::regnamespace || '.' || relname as table, array_agg(attname::text) as columns,
      has_table_privilege('cobro_operator', pg_class.oid, 'select') as whole
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace::regnamespace::text in (select substr(rolname, 7, length(rolname) - 12) from pg_roles where rolname like 'cobro_%_owner')
      and has_column_privilege('cobro_operator', pg_class.oid, attnum, 'select')
    group by 1, pg_class.oid order by 1`)
  expect(readable.map(({ table }) => table)).toEqual([
    'audit.events',
    'checkout.checkout_sessions',
    'checkout.outbox',
    'checkout.payment_attempts',
    'checkout.payment_blocks',
    'checkout.payment_links',
    'checkout.reconciliation',
    'gateway.mails',
    'gateway.outbox',
    'transactions.daily_run_failures',
    'transactions.daily_runs',
    'transactions.ledger_entries',
    'transactions.outbox',
    'transactions.reconciliation',
    'transactions.refunds',
    'transactions.settlement_entries',
    'transactions.transactions',
    'webhooks.attempts',
    'webhooks.deliveries',
    'webhooks.endpoints',
    'webhooks.jobs',
    'webhooks.lanes',
    'webhooks.outbox',
  ])
  const hidden =
    /url|secret|hash|sealed|password|token|email|card|customer|body|content|metadata|actor|^ip$|agent|description|recipient|^data$/
  expect(readable.flatMap(({ columns }) => columns).filter(name => hidden.test(name))).toEqual([])
  // A column that a later release adds stays hidden until a migration grants it.
  expect(readable.filter(({ whole }) => whole)).toEqual([])
})

test('shows operators what the services are busy with, without query texts', async () => {
  const sql = `select 'what a statement of a service holds'`
  await stack.whileLocked({ sql, values: [] }, async () => {
    const statements = 'select query from pg_stat_activity where datname = current_database()'
    expect(await stack.query(statements)).toContainEqual({ query: sql })
    const seen = await stack.queryAs('cobro_operator', statements)
    expect(seen.filter(({ query }) => query !== '<insufficient privilege>')).toEqual([])

    const activity = await stack.queryAs('cobro_operator', 'select * from operators.activity()')
    expect(activity).toContainEqual(expect.objectContaining({ state: 'idle in transaction', statement: 'select' }))
    const applications = activity.map(({ application_name }) => application_name)
    expect(applications).toEqual(expect.arrayContaining(['cobro-gateway', 'cobro-checkout', 'cobro-audit']))
    expect(JSON.stringify(activity)).not.toContain('what a statement')
  })
  expect(await stack.query(`select rolname from pg_roles where pg_has_role('cobro_operator', oid, 'member')`)).toEqual([
    { rolname: 'cobro_operator' },
  ])
})

test("lets the operators' database role change nothing", async () => {
  const [changed] = await stack.query(`
    select count(*)::integer as tables from pg_class
    where relkind in ('r', 'p') and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
      and (has_table_privilege('cobro_operator', oid, 'insert, update, delete, truncate')
        or has_any_column_privilege('cobro_operator', oid, 'insert, update'))`)
  expect(changed).toEqual({ tables: 0 })
})
