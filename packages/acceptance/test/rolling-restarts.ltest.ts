import { setTimeout as sleep } from 'node:timers/promises'
import { payByCard, type Replica, type StackServiceName, stackServiceNames } from '@cobro/local-stack'
import { type LoadBalancer, startLoadBalancer, waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

const long = process.env.COBRO_TEST_LONG === '1'
/** Twice the images' value: the balancer must notice sooner, even while the machine is busy. */
const drainMs = 10_000
const restartedOf = long ? 'each replica' : 'one of two replicas'
const payers = 8
const events = ['checkout_session.created', 'payment.attempted', 'payment.approved', 'checkout_session.completed']
const card = '4242424242424242'

let balancers: Record<StackServiceName, LoadBalancer>
let stack: AcceptanceStack
let replicas: Record<StackServiceName, [Pick<Replica, 'stop' | 'start'>, Pick<Replica, 'stop' | 'start'>]>
let receiver: Awaited<ReturnType<typeof startReceiver>>

async function ofEach<T>(make: (name: StackServiceName) => Promise<T>): Promise<Record<StackServiceName, T>> {
  const entries: [StackServiceName, T][] = []
  for (const name of stackServiceNames) entries.push([name, await make(name)])
  return Object.fromEntries(entries) as Record<StackServiceName, T>
}

beforeAll(async () => {
  receiver = await startReceiver()
  balancers = await ofEach(startLoadBalancer)
  const acquirer = { ACQUIRER_URL: balancers['acquirer-sandbox'].url }
  stack = await acceptanceStack(
    {
      all: { DRAIN_MS: String(drainMs) },
      gateway: {
        CHECKOUT_URL: balancers.checkout.url,
        TRANSACTIONS_URL: balancers.transactions.url,
        WEBHOOKS_URL: balancers['webhooks-dispatcher'].url,
        AUDIT_URL: balancers['audit-log'].url,
      },
      ...{ checkout: acquirer, transactions: acquirer },
      'acquirer-sandbox': { NOTIFICATION_URL: `${balancers.gateway.url}/acquirer/v1/notifications` },
    },
    { asInProduction: true },
  )
  replicas = await ofEach(async name => {
    const first = { ...stack.process(name), url: stack.stack.services[name]?.url ?? '' }
    const second = await stack.replica(name)
    balancers[name].setReplicas([first.url, second.url])
    await balancers[name].waitUntilAllReady()
    return [first, second]
  })
  await call('POST', '/api/webhooks', { url: receiver.url, events: ['payment.approved'] })
})
afterAll(async () => {
  await stack?.stop()
  for (const balancer of Object.values(balancers ?? {})) await balancer.close()
  await receiver?.stop()
})

const failed: string[] = []
const requestIds: string[] = []

/** Makes a call of the merchant over kept-alive connections, and records unexpected answers. */
async function call(method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Token ${stack.stack.api_key}`, 'content-type': 'application/json' }
  const text = body ? { body: JSON.stringify(body) } : {}
  const response = await fetch(new URL(path, balancers.gateway.url), { method, headers, ...text })
  requestIds.push(response.headers.get('x-request-id') ?? 'none')
  const answer = await response.json()
  if (!response.ok) failed.push(`${method} ${path.replace(/_\w+/, '_…')}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** Opens, pays and reads a session and its results, in five calls. Returns the session's id. */
async function journey(): Promise<string> {
  try {
    const terms = { amount_total: 25_000, currency: 'MXN', success_url: 'https://shop.mx' }
    const { id } = await call('POST', '/checkout/v1/sessions', terms)
    const paid = await payByCard(balancers.gateway.url, id, card)
    requestIds.push(paid.request_id)
    if (paid.status !== 200) failed.push(`payment: ${paid.status} ${JSON.stringify(paid.body)}`)
    await call('GET', `/checkout/v1/sessions/${id}`)
    await call('GET', '/api/webhook-deliveries?limit=1')
    await call('GET', '/api/transactions?limit=1')
    return id
  } catch (error) {
    failed.push(`cut: ${(error as Error).message} ${String((error as Error).cause ?? '')}`)
    return ''
  }
}

/** The sessions of the journeys that have ended. */
const sessions: string[] = []

/**
 * Starts payers who make one journey after another and pause after each for as long as it took,
 * so that half of them are paying at any time, however fast the machine is. Returns a function that stops them.
 */
function startPayers(): () => Promise<void> {
  let stopping = false
  const pay = async () => {
    while (!stopping) {
      const startedAt = performance.now()
      sessions.push(await journey())
      await sleep(performance.now() - startedAt)
    }
  }
  const paying = Promise.all(Array.from({ length: payers }, pay))
  return async () => {
    stopping = true
    await paying
  }
}

test(`fails no call and loses nothing when ${restartedOf} of each service restarts while eight payers pay`, async () => {
  // The first pages of a replica fail while the acquirer's key takes longer than three seconds.
  await waitFor(async () => {
    failed.length = 0
    await Promise.all(Array.from({ length: payers }, journey))
    return failed.length === 0
  })
  const payingSince = performance.now()
  const stopPayers = startPayers()
  const restarted = long ? [0, 1] : [0]
  for (const name of stackServiceNames) {
    for (const which of restarted) {
      const replica = replicas[name][which as 0 | 1]
      const before = { failed: failed.length, journeys: sessions.length }
      const startedAt = performance.now()
      await replica.stop()
      await waitFor(() => sessions.length > before.journeys)
      await replica.start()
      await balancers[name].waitUntilAllReady()
      process.stdout.write(
        `${name} ${which + 1} restarted in ${Math.round(performance.now() - startedAt)} ms, ${sessions.length - before.journeys} journeys, failed: ${failed.length - before.failed}\n`,
      )
    }
  }
  await stopPayers()
  const perSecond = (sessions.length * 1_000) / (performance.now() - payingSince)
  process.stdout.write(
    `${sessions.length} journeys, ${perSecond.toFixed(1)} a second, ${requestIds.length} calls: failed ${failed.length}\n`,
  )
  expect(failed).toEqual([])
  await waitFor(() => expectAll(sessions), { intervalMs: 500 })
  await expectLogged()
}, 900_000)

/** Expects each session to be paid once, with each of its events once and a delivered webhook. */
async function expectAll(sessions: string[]): Promise<true> {
  const charges = await stack.query(
    `select id, payable_id from transactions.transactions where payable_id = any($1) and status = 'approved'`,
    [sessions],
  )
  expect(new Set(charges.map(row => row.payable_id)).size).toBe(sessions.length)
  expect(charges).toHaveLength(sessions.length)
  const seen = await stack.query(
    `select e.action, count(*)::integer as times, count(distinct e.correlation_id)::integer as of
     from audit.events e join checkout.checkout_sessions s using (correlation_id)
     where s.id = any($1) and e.action = any($2) group by 1`,
    [sessions, events],
  )
  expect(Object.fromEntries(seen.map(({ action, ...rest }) => [action, rest]))).toEqual(
    Object.fromEntries(events.map(name => [name, { times: sessions.length, of: sessions.length }])),
  )
  const delivered = new Set(receiver.received.map(({ body }) => body.data.id))
  expect(charges.filter(({ id }) => !delivered.has(id))).toEqual([])
  return true
}

/** Expects each call in the log once, except page reads, whose request ids the test cannot see. */
async function expectLogged(): Promise<void> {
  const count = () =>
    stack.query(
      `select count(*)::integer as times, count(distinct request_id)::integer as of from audit.events
       where action = 'http.request' and request_id = any($1)`,
      [requestIds],
    )
  await waitFor(async () => (await count())[0].of === requestIds.length, { intervalMs: 500 })
  expect(await count()).toEqual([{ times: requestIds.length, of: requestIds.length }])
}
