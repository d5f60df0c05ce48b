import { payByCard } from '@cobro/local-stack'
import { smallestOf, type TcpProxy, tcpProxy, testSetting, waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack, productionPostgresUrl } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { unreadableMetrics } from '../src/scraped-metrics.ts'

let stack: AcceptanceStack
let broker: TcpProxy
let database: TcpProxy
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  broker = await tcpProxy(testSetting('TEST_AMQP_URL'))
  database = await tcpProxy(productionPostgresUrl())
  stack = await acceptanceStack({}, { amqpUrl: broker.url, postgresUrl: database.url, asInProduction: true })
  await stack.untilPayable()
  clients = await clientsOf(stack.stack)
})
afterAll(async () => {
  await stack?.stop()
  await broker?.close()
  await database?.close()
})
// Undoes the outage of a test that failed during it.
afterEach(async () => {
  await broker.open()
  await database.open()
})

const openSession = () =>
  clients.merchant.call('POST', '/checkout/v1/sessions', { amount_total: 25_000, return_url: 'https://shop.mx' })

/** Waits until checkout reports exactly these metrics as unreadable. */
const checkoutLacks = (...metrics: string[]) =>
  waitFor(async () => {
    expect((await unreadableMetrics(stack.stack, 'checkout')).sort()).toEqual(metrics)
    return true
  })

test('opens sessions, rejects payments unsent and delivers every event afterwards while RabbitMQ is unreachable', async () => {
  const before = (await openSession()).body
  await broker.shut()
  const meanwhile = await openSession()
  expect(meanwhile.status).toBe(201)
  await waitFor(async () => (await payByCard(stack.stack.hosted_url, before.id, '4242424242424242')).status === 503)
  await checkoutLacks('cobro_queue_messages')
  await broker.open()
  await checkoutLacks()
  const paid = await waitFor(
    async () => {
      const answer = await payByCard(stack.stack.hosted_url, meanwhile.body.id, '4242424242424242')
      return answer.status === 200 && answer
    },
    { intervalMs: 500 },
  )
  expect(paid.body.status).toBe('approved')
  const requestId = meanwhile.headers.get('x-request-id')
  await waitFor(async () => {
    const { body } = await clients.operator.call('GET', `/api/events?request_id=${requestId}`)
    return (
      body.data
        .map((event: { action: string }) => event.action)
        .sort()
        .join() === 'checkout_session.created,http.request'
    )
  })
})

test('answers 503 within seconds while PostgreSQL is unreachable, and serves calls again once it is back', async () => {
  await database.shut()
  const requestIds: (string | null)[] = []
  const rejectedAfter = async () => {
    const started = Date.now()
    const rejected = await openSession()
    const tookMs = Date.now() - started
    expect([rejected.status, rejected.body]).toEqual([503, { error: 'unavailable' }])
    expect(rejected.headers.get('x-request-id')).toMatch(/^req_/)
    requestIds.push(rejected.headers.get('x-request-id'))
    return tookMs
  }
  expect(await smallestOf(5_000, rejectedAfter)).toBeLessThan(5_000)
  await checkoutLacks(
    'cobro_outbox_messages',
    'cobro_outbox_oldest_age_seconds',
    'cobro_payment_attempt_oldest_age_seconds',
    'cobro_reconciliation_age_seconds',
    'cobro_reconciliation_differences',
  )
  await database.open()
  await checkoutLacks()
  const served = await waitFor(async () => {
    const answer = await openSession()
    return answer.status === 201 && answer
  })
  expect(await payByCard(stack.stack.hosted_url, served.body.id, '4242424242424242')).toMatchObject({ status: 200 })
  for (const id of requestIds)
    await waitFor(
      async () =>
        (await clients.operator.call('GET', `/api/events?request_id=${id}&action=http.request`)).body.count === 1,
    )
})

test('becomes ready once PostgreSQL and RabbitMQ are back after a start without them', async () => {
  const names = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log'] as const
  for (const name of names) await stack.process(name).stop()
  await broker.shut()
  await database.shut()
  const starting = Promise.all(names.map(name => stack.process(name).start()))
  await new Promise(resolve => setTimeout(resolve, 3_000))
  await broker.open()
  await database.open()
  await starting
  const session = (await openSession()).body
  const paid = await waitFor(async () => {
    const answer = await payByCard(stack.stack.hosted_url, session.id, '4242424242424242')
    return answer.status !== 503 && answer
  })
  expect(paid.status).toBe(200)
})

test('finishes a payment in flight on SIGTERM, and stops with every record shipped', async () => {
  const session = (await openSession()).body
  const paying = payByCard(stack.stack.hosted_url, session.id, '4242424242424242')
  await waitFor(async () => {
    const attempts = 'select 1 from checkout.payment_attempts where payable_id = $1'
    return (await stack.query(attempts, [session.id])).length > 0
  })
  await stack.process('checkout').stop()
  expect((await paying).status).toBe(200)
  await stack.process('checkout').start()
  expect((await clients.merchant.call('GET', `/checkout/v1/sessions/${session.id}`)).body.status).toBe('completed')
  expect(
    await stack.query(`select 1 from transactions.transactions where correlation_id = $1 and status = 'approved'`, [
      session.correlation_id,
    ]),
  ).toHaveLength(1)
})
