import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@cobro/testing'
import { seededRandom } from '@cobro/testing/seeded-random'
import { Pool } from 'pg'
import { type StackOnOwnServers, stackOnOwnServers } from '../src/stack-on-own-servers.ts'
import { type LoadCall, type LoadRequest, measuredRate, type SteadyLoad, steadyLoad } from '../src/steady-load.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const seed = Number(process.env.COBRO_TEST_SEED ?? 20260727)
const rounds = long ? 10 : 1
const awayMs = long ? 120_000 : 5_000
/** Calls per second: fewer in the short form, so that a machine that stalls briefly catches up. */
const wantedRate = long ? 200 : 50

let stack: StackOnOwnServers
let pool: Pool
let rate: number
beforeAll(async () => {
  stack = await stackOnOwnServers({ services: ['gateway', 'checkout', 'audit-log'] })
  pool = new Pool({ connectionString: stack.stack.postgres_url, max: 2 }).on('error', () => undefined)
  const measured = await measuredRate(stack.stack.base_url, mixedCalls(), 3_000)
  // The remaining time is for the servers to recover.
  rate = Math.max(5, Math.min(wantedRate, Math.floor(measured / 3)))
  process.stdout.write(`${Math.round(measured)} calls a second are answered; the load is ${rate} a second\n`)
}, 600_000)
afterAll(async () => {
  await pool?.end()
  await stack?.stop()
})

const loads: SteadyLoad[] = []
afterEach(() => Promise.all(loads.splice(0).map(load => load.stop())))

/** Starts a test's load, which ends with the test at the latest. */
function startLoad(label: string): SteadyLoad {
  const load = steadyLoad(stack.stack.base_url, label, mixedCalls())
  loads.push(load)
  load.pace(rate)
  return load
}

/**
 * Generates calls of many kinds, reproducible by seed: to services and the gateway itself, valid
 * and invalid, with and without credentials.
 */
function mixedCalls(): () => LoadRequest {
  const random = seededRandom(seed)
  const headers = { 'x-api-key': stack.stack.api_key }
  const link = { amount: '250.00', concepto: 'Curso' }
  const kinds: LoadRequest[] = [
    { method: 'POST', path: '/checkout/v1/links', headers, body: link },
    { method: 'POST', path: '/checkout/v1/links', headers, body: { ...link, amount: '-1' } },
    { method: 'GET', path: '/api/payment-links?limit=5', headers },
    { method: 'GET', path: '/api/payment-links', headers: { 'x-api-key': 'vk_test_nonsense' } },
    { method: 'GET', path: '/.well-known/jwks.json' },
    { method: 'DELETE', path: '/no/such/path', headers },
  ]
  return () => kinds[Math.floor(random() * kinds.length)] as LoadRequest
}

interface RecordedCall {
  name: string
  request_id: string
  status_code: number
  outcome: string | null
}

async function recorded(load: SteadyLoad): Promise<Map<string, RecordedCall[]>> {
  const [label] = load.calls[0]?.name.split('/') ?? []
  const { rows } = await pool.query<RecordedCall>(
    `select user_agent as name, request_id, status_code, metadata->>'outcome' as outcome from audit.events
     where action = 'http.request' and user_agent like $1`,
    [`${label}/%`],
  )
  return Map.groupBy(rows, row => row.name)
}

/** Compares the answers that clients saw with the log, call by call. */
async function account(load: SteadyLoad) {
  const answered = load.calls.filter((call): call is Required<LoadCall> => call.answer !== undefined)
  const isThere = (events: Map<string, RecordedCall[]>) => (call: LoadCall) => events.has(call.name)
  await waitFor(async () => answered.every(isThere(await recorded(load))), {
    intervalMs: 250,
    timeoutMs: 180_000,
  }).catch(() => undefined)
  const events = await recorded(load)
  const cutOff = load.calls.filter(call => call.answer === undefined)
  const ofAnswered = answered.map(call => ({ ...call.answer, event: events.get(call.name)?.[0] }))
  const ofCutOff = cutOff.flatMap(call => events.get(call.name) ?? [])
  return {
    calls: load.calls.length,
    answered: answered.length,
    refused: answered.filter(({ answer }) => answer.status >= 500).length,
    cutOff: cutOff.length,
    lost: ofAnswered.filter(({ event }) => !event).length,
    twice: [...events.values()].filter(({ length }) => length > 1).length,
    otherwise: ofAnswered.filter(({ event, ...answer }) => event && !isAs(answer, event)).length,
    recovered: ofCutOff.filter(({ outcome }) => outcome === 'gateway_crashed').length,
    answeredAfterCutOff: ofCutOff.filter(({ outcome }) => outcome === null).length,
  }
}

const isAs = (answer: Required<LoadCall>['answer'], event: RecordedCall) =>
  answer.request_id === event.request_id && answer.status === event.status_code

/** Starts a call whose body never arrives, so that it is in flight when the gateway dies. */
async function callInFlight(name: string): Promise<void> {
  const { hostname, port } = new URL(stack.stack.base_url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  const head = ['POST /checkout/v1/links HTTP/1.1', `Host: ${hostname}`, `X-API-Key: ${stack.stack.api_key}`]
  const body = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue']
  socket.write(`${[...head, ...body, `User-Agent: ${name}`].join('\r\n')}\r\n\r\n`)
  // The gateway requests the body once the call is recorded.
  await new Promise((resolve, reject) => socket.once('data', resolve).once('close', reject))
}

const victims = {
  gateway: { crash: () => stack.process('gateway').kill('SIGKILL'), start: () => stack.process('gateway').start() },
  'audit-log': {
    crash: () => stack.process('audit-log').kill('SIGKILL'),
    start: () => stack.process('audit-log').start(),
  },
  RabbitMQ: { crash: () => stack.servers.rabbitmq.crash(), start: () => stack.servers.rabbitmq.start() },
  // A PostgreSQL that starts while a backend of its predecessor is still running exits.
  PostgreSQL: {
    crash: () => stack.servers.postgres.crash(),
    start: () => waitFor(() => stack.servers.postgres.start().then(() => true)),
  },
}

test(
  `each killed at random under load: of the calls that clients saw none is lost, and none is there twice (seed ${seed})`,
  async () => {
    const random = seededRandom(seed)
    const load = startLoad('crashes')
    const order = Array.from({ length: rounds }, () =>
      Object.entries(victims)
        .map(victim => ({ victim, place: random() }))
        .toSorted((a, b) => a.place - b.place),
    ).flat()
    for (const { victim } of order) {
      const [name, { crash, start }] = victim
      await sleep(500 + random() * 1_000)
      if (name === 'gateway') await callInFlight(`crashes/in-flight-${randomName(random)}`)
      await crash()
      await sleep(random() * 500)
      await start()
    }
    await waitFor(() => load.calls.filter(call => call.answer).length > 100)
    await load.stop()
    const found = await account(load)
    const { rows: inFlight } = await pool.query(
      `select status_code, category, metadata->>'outcome' as outcome from audit.events where user_agent like 'crashes/in-flight-%'`,
    )
    process.stdout.write(`${order.length} kills (seed ${seed}): lost: ${found.lost} ${JSON.stringify(found)}\n`)
    expect(found).toMatchObject({ lost: 0, twice: 0, otherwise: 0 })
    expect(found.recovered + found.answeredAfterCutOff).toBeLessThanOrEqual(found.cutOff)
    expect(inFlight).toEqual(
      Array.from({ length: rounds }, () => ({ status_code: 500, category: 'error', outcome: 'gateway_crashed' })),
    )
  },
  long ? 1_200_000 : 600_000,
)

test(`with RabbitMQ away for ${awayMs / 1_000} s no call is refused, and everything arrives after`, async () => {
  const load = startLoad('away')
  await stack.servers.rabbitmq.stop()
  await sleep(awayMs)
  const before = load.calls.length
  await stack.servers.rabbitmq.start()
  await load.stop()
  const backAt = Date.now()
  const found = await account(load)
  process.stdout.write(
    `RabbitMQ away for ${awayMs / 1_000} s: lost: ${found.lost} ${JSON.stringify({ ...found, madeMeanwhile: before, drainedMs: Date.now() - backAt })}\n`,
  )
  expect(found).toMatchObject({ refused: 0, cutOff: 0, lost: 0, twice: 0, otherwise: 0 })
}, 600_000)

test('has recorded every created link once, and no other', async () => {
  const differing = `select coalesce(l.id, e.target_id) as id, count(e.id)::integer as events from checkout.payment_links l
    full join (select * from audit.events where action = 'payment_link.created') e on e.target_id = l.id
    group by l.id, e.target_id having count(e.id) <> 1 or l.id is null`
  await waitFor(async () => (await pool.query(differing)).rows.length === 0, { intervalMs: 250 })
  const { rows } = await pool.query('select count(*)::integer as links from checkout.payment_links')
  expect(rows[0].links).toBeGreaterThan(0)
  process.stdout.write(`${rows[0].links} links were made: lost: 0\n`)
})

test('still verifies the log afterwards, including its newest events against the outside checkpoints', async () => {
  const printed = await stack.command(
    'audit-log',
    'verify',
    '--checkpoint',
    join(stack.dir, 'audit-checkpoints.ndjson'),
  )
  const found = JSON.parse(printed.trim().split('\n').at(-1) ?? '')
  process.stdout.write(`verify: ${JSON.stringify(found)}\n`)
  expect(found).toMatchObject({ ok: true, first_fault: null })
  expect(found.checked).toBe(found.size)
})

const randomName = (random: () => number) => Math.floor(random() * 2 ** 32).toString(36)
