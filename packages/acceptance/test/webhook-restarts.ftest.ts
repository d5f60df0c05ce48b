import { smallestOf, waitFor } from '@cobro/testing'
import { Client } from 'pg'
import { type ApiClient, apiClient } from '../src/api-client.ts'
import { type StackOnOwnServers, stackOnOwnServers } from '../src/stack-on-own-servers.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

const resumeMs = 5_000
/** Six times the timeout of an attempt: then a delivery whose sender lost it is sent again. */
const leaseMs = 60_000
const callers = 3
const pauseMs = 100

let stack: StackOnOwnServers
let receiver: Awaited<ReturnType<typeof startReceiver>>
let merchant: ApiClient
let load: ReturnType<typeof startLoad>
beforeAll(async () => {
  stack = await stackOnOwnServers({
    services: ['gateway', 'checkout', 'webhooks-dispatcher'],
    env: { 'webhooks-dispatcher': { WEBHOOK_RETRY_DELAYS_MS: '200,400,800,1600' } },
  })
  receiver = await startReceiver()
  merchant = apiClient(stack.stack.base_url, { authorization: `Token ${stack.stack.api_key}` })
  await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['payment_link.created'] })
  load = startLoad()
}, 600_000)
afterAll(async () => {
  await load?.stop()
  await stack?.stop()
  await receiver?.stop()
})

async function query<T>(sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: stack.stack.postgres_url })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}

/** Creates a link. Returns its id, or undefined if an unreachable server made the call fail. */
async function makeLink(): Promise<string | undefined> {
  const { status, body } = await merchant.call('POST', '/checkout/v1/links', { amount: '250.00', concepto: 'Curso' })
  expect([201, 503, 504]).toContain(status)
  return status === 201 ? body.data.id : undefined
}

/** Creates links continuously, whatever happens to the servers. */
function startLoad() {
  let stopping = false
  const taken: string[] = []
  const call = async () => {
    while (!stopping) {
      const id = await makeLink()
      if (id) taken.push(id)
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
  const calling = Promise.all(Array.from({ length: callers }, call))
  // An unexpected answer fails the test that stops the load, not the process.
  calling.catch(() => undefined)
  return {
    taken,
    stop: async () => {
      stopping = true
      await calling
    },
  }
}

const arrived = () => new Set(receiver.received.map(({ body }) => body.data.id as string))

/** Measures the time until the first, and until all, links created since `gone` have a webhook. */
async function resumed(gone: number) {
  const backAt = Date.now()
  await waitFor(() => load.taken.slice(gone).some(id => arrived().has(id)), { intervalMs: 10 })
  const firstMs = Date.now() - backAt
  const gathered = load.taken.slice(gone)
  await waitFor(() => gathered.every(id => arrived().has(id)), { intervalMs: 10, timeoutMs: leaseMs + 60_000 })
  return { firstMs, gathered: gathered.length, allMs: Date.now() - backAt }
}

const endSessions = () =>
  query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )

/** Faults under load. Each calls `gone` when the server is unreachable; it ends once it is back. */
const faults: [what: string, fault: (gone: () => void) => Promise<unknown>][] = [
  [
    'RabbitMQ is stopped and started again',
    async gone => {
      const { rabbitmq } = stack.servers
      await rabbitmq.stop()
      gone()
      const before = load.taken.length
      await waitFor(() => load.taken.length > before + callers).finally(() => rabbitmq.start())
    },
  ],
  ['RabbitMQ closes every connection', gone => stack.servers.rabbitmq.running().closeConnections().then(gone)],
  [
    'PostgreSQL is stopped and started again',
    async gone => {
      const { postgres } = stack.servers
      await postgres.stop()
      gone()
      await waitFor(async () => (await makeLink()) === undefined).finally(() => postgres.start())
    },
  ],
  ['PostgreSQL ends every session', gone => endSessions().then(gone)],
]

test.each(faults)(
  '%s under load: events flow again within five seconds, and no service was restarted',
  async (what, fault) => {
    const pids = Object.values(stack.stack.services).map(({ pid }) => pid)
    const resumedAfter = async () => {
      const before = arrived().size
      await waitFor(() => arrived().size > before + callers)
      let gone = Number.NaN
      await fault(() => {
        gone = load.taken.length
      })
      const { firstMs, ...rest } = await resumed(gone)
      process.stdout.write(`${what}: events flow again after ${firstMs} ms ${JSON.stringify(rest)}\n`)
      return firstMs
    }
    expect(await smallestOf(resumeMs, resumedAfter)).toBeLessThan(resumeMs)
    for (const pid of pids) expect(() => process.kill(pid, 0)).not.toThrow()
  },
  600_000,
)

test('has delivered a webhook for every created link, and recorded what arrived twice as unknown', async () => {
  await load.stop()
  const made = (await query<{ id: string }>('select id from checkout.payment_links')).map(({ id }) => id)
  const lost = () => made.filter(id => !arrived().has(id))
  await waitFor(() => lost().length === 0, { timeoutMs: leaseMs + 60_000 })
  await waitFor(async () => (await query('select 1 from webhooks.jobs')).length === 0)
  const attempts = await query<{ id: string; unknown: number; all: number }>(
    `select delivery_id as id, count(*)::integer as all, (count(*) filter (where error = 'unknown'))::integer as unknown
     from webhooks.attempts group by delivery_id`,
  )
  const requests = Map.groupBy(receiver.received, ({ headers }) => String(headers['x-service-delivery']))
  const beyond = attempts.map(({ id, all, unknown }) => ({
    more: (requests.get(id)?.length ?? 0) - (all - unknown),
    unknown,
  }))
  const account = {
    made: made.length,
    taken: load.taken.length,
    lost: lost().length,
    takenBack: load.taken.filter(id => !made.includes(id)).length,
    twice: beyond.filter(({ more }) => more > 0).length,
    unexplained: beyond.filter(({ more, unknown }) => more > unknown).length,
    mostAttempts: Math.max(...attempts.map(({ all }) => all)),
  }
  process.stdout.write(`restarts under load: ${JSON.stringify(account)}\n`)
  expect(account).toMatchObject({ lost: 0, takenBack: 0, unexplained: 0 })
  expect(account.mostAttempts).toBeLessThanOrEqual(5)
  expect(requests.size).toBe(made.length)
})
