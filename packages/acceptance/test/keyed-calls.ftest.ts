import { setTimeout as sleep } from 'node:timers/promises'
import type { StackServiceName } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiResponse, clientsOf } from '../src/api-client.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await acceptanceStack()
  clients = await clientsOf(stack.stack)
})
afterAll(() => stack?.stop())

const long = process.env.COBRO_TEST_LONG === '1'
const sessions = '/checkout/v1/sessions'
const order = (external_id: string) => ({ amount_total: 25_000, return_url: 'https://shop.mx', external_id })
const sessionsOf = (pattern: string) =>
  stack.query('select id, external_id from checkout.checkout_sessions where external_id like $1', [pattern])

/** Repeats a call under one key until it is answered; returns the answer and number of tries. */
async function untilAnswered(path: string, key: string, body: object): Promise<{ answer: ApiResponse; tries: number }> {
  let tries = 0
  const answer = await waitFor(
    async () => {
      tries += 1
      const call = clients.merchant.call('POST', path, body, { 'idempotency-key': key })
      const answer = await call.catch(() => undefined)
      return answer && answer.status < 500 && answer.status !== 409 && answer
    },
    { timeoutMs: 120_000, intervalMs: 100 },
  )
  return { answer, tries }
}

test('replays an answer that was lost with the gateway, with one effect', async () => {
  const gateway = stack.process('gateway')
  let lost: Promise<unknown> | undefined
  // Delays the effect just before its commit, until the gateway can no longer forward the answer.
  await stack.whileLocked({ sql: 'lock table checkout.outbox in share mode', values: [] }, async () => {
    lost = clients.merchant
      .call('POST', sessions, order('died-1'), { 'idempotency-key': 'died-1' })
      .catch(error => error as Error)
    await waitFor(async () => (await stack.insertsWaiting('checkout', 'outbox')) > 0)
    await gateway.kill('SIGSTOP')
  })
  const [made] = await waitFor(async () => {
    const found = await sessionsOf('died-1')
    return found.length > 0 && found
  }).finally(() => gateway.kill('SIGKILL'))
  expect(await lost).toMatchObject({ name: 'TypeError' })
  await gateway.start()
  const { answer } = await untilAnswered(sessions, 'died-1', order('died-1'))
  expect([answer.status, answer.headers.get('idempotent-replayed'), answer.body.id]).toEqual([201, 'true', made.id])
  expect(await sessionsOf('died-1')).toHaveLength(1)
})

test('has one effect per key, named by its answer, under kill -9 and load', async () => {
  const victims: StackServiceName[] = long
    ? Array(5).fill(['checkout', 'gateway']).flat()
    : ['checkout', 'gateway', 'checkout']
  let ended = false
  let next = 0
  const outcomes: { external_id: string; answer: ApiResponse; tries: number }[] = []
  const worker = async () => {
    while (!ended) {
      const external_id = `load-${next++}`
      outcomes.push({ external_id, ...(await untilAnswered(sessions, external_id, order(external_id))) })
    }
  }
  const workers = Array.from({ length: 8 }, worker)
  try {
    for (const victim of victims) {
      await sleep(700)
      await stack.process(victim).kill('SIGKILL')
      await stack.process(victim).start()
    }
    await sleep(500)
  } finally {
    ended = true
  }
  await Promise.all(workers)

  const made = await sessionsOf('load-%')
  const answered = outcomes.map(({ external_id, answer }) => ({ id: answer.body.id, external_id }))
  const replays = outcomes.filter(({ answer }) => answer.headers.get('idempotent-replayed') === 'true')
  process.stdout.write(
    `${outcomes.length} keys, ${victims.length} kills, ${outcomes.filter(({ tries }) => tries > 1).length} repeated, ` +
      `${replays.length} of them replayed; lost: ${outcomes.length - made.length}, doubled: ${made.length - new Set(made.map(row => row.external_id)).size}\n`,
  )
  const byName = (a: { external_id: string }, b: { external_id: string }) => (a.external_id < b.external_id ? -1 : 1)
  expect(made.toSorted(byName)).toEqual(answered.toSorted(byName))
  expect(outcomes.some(({ tries }) => tries > 1)).toBe(true)
})

test.each([
  [
    "a webhook's secret",
    'merchant',
    '/api/webhooks',
    { url: 'http://127.0.0.1:18080/hooks', events: ['*'] },
    'webhooks',
  ],
  ['an API key', 'client', '/api/api-keys', { name: 'shop' }, 'gateway'],
  [
    "a user's setup token",
    'operator',
    '/api/users',
    { email: 'ana@keyed.test', role: 'operator', merchants: 'all' },
    'gateway',
  ],
] as const)('replays %s to the same call and stores it nowhere in clear', async (_what, who, path, body, schema) => {
  const create = () => clients[who].call('POST', path, body, { 'idempotency-key': path })
  const [first, again] = [await create(), await create()]
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
  expect(again.body).toEqual(first.body)
  const { secret = first.body.key ?? first.body.setup_token } = first.body
  expect(secret.length).toBeGreaterThan(20)
  const stored = await stack.query(`select row_to_json(k)::text as row from ${schema}.idempotency_keys k`)
  expect(stored.length).toBeGreaterThan(0)
  expect(JSON.stringify(stored)).not.toContain(secret)
})
