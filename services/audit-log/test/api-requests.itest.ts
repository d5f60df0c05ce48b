import { type Caller, type Id, type Message, newId } from '@cobro/contracts'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { readPages, soon, waitFor } from '@cobro/testing'
import { callMessage, eventMessage, startedWorld, type World } from './audit-log-world.ts'

const me = keyCaller()
const other = keyCaller()
const correlation_id = newId('corr')
const firstAtMs = Date.now() - 600_000

interface Made {
  method?: string
  actor?: Message['actor']
  merchant?: Id<'mrc'>
  operation_id?: string
  error_code?: string
}

/** A call as the gateway records it. */
function callOf(path: string, status_code: number, made: Made = {}): Message {
  const {
    method = 'GET',
    actor = { type: 'key', id: me.id },
    merchant = me.merchant_id,
    operation_id,
    error_code,
  } = made
  const message = callMessage(path, status_code, {
    merchant_id: merchant,
    actor,
    correlation_id,
    request_id: newId('req'),
  })
  const metadata = operation_id ? { operation_id, ...(error_code ? { error_code } : {}) } : null
  return { ...message, data: { ...message.data, method, metadata, ip: '203.0.113.7', user_agent: 'shop/1.0' } }
}

const user = { type: 'client', id: newId('usr') }
/** Oldest first, a minute apart. */
const log = [
  callOf('/checkout/v1/sessions', 201, { method: 'POST', operation_id: 'createCheckoutSession' }),
  eventMessage({ name: 'checkout_session.created', merchant_id: me.merchant_id, correlation_id }),
  callOf('/hosted/v1/checkout/cs_1', 200, { actor: { type: 'payer', id: null }, operation_id: 'getHostedSession' }),
  callOf('/api/transactions/txn_1', 404, { operation_id: 'getTransaction', error_code: 'not_found' }),
  callOf('/api/transactions', 200, { actor: user, operation_id: 'listTransactions' }),
  callOf('/api/transactions', 200, { actor: { type: 'operator', id: newId('usr') }, operation_id: 'listTransactions' }),
  callOf('/api/transactions', 200, { merchant: other.merchant_id, actor: { type: 'key', id: other.id } }),
  callOf('/api/transactions', 503, { operation_id: 'listTransactions', error_code: 'unavailable' }),
].map((message, minute) => {
  const atMs = firstAtMs + minute * 60_000
  return { ...message, id: newId('evt', atMs), occurred_at: new Date(atMs).toISOString() }
})
const [created, , , missing, listed, , , failed] = log.map(({ id }) => id)

let world: World
let service: Awaited<ReturnType<World['start']>>
beforeAll(async () => {
  ;({ world, service } = await startedWorld())
  for (const [place, message] of log.entries()) {
    await world.publish(message)
    await waitFor(async () => (await service.call(operatorCaller('all'), '/api/events')).body.count === place + 1)
  }
})
afterAll(() => world.close())

const read = async (query = '', caller: Caller = me) => {
  const { status, body } = await service.call(caller, `/api/requests${query}`)
  return { status, body, ids: body.data?.map((one: { id: string }) => one.id) }
}

test("a merchant sees the calls of its own keys and users, the newest first, and no one else's", async () => {
  const { body, ids } = await read()
  expect(ids).toEqual([failed, listed, missing, created])
  expect(body).toMatchObject({ count: 4, through: null })
  expect((await read('', other)).ids).toEqual([log[6]!.id])
  expect((await read('', operatorCaller('all', me.merchant_id))).ids).toEqual(ids)
  expect((await read('', operatorCaller([other.merchant_id]))).ids).toEqual([log[6]!.id])
})

test('a call is shown with its operation and error code, and without address, program or body', async () => {
  const message = log[3]!
  expect((await read('?status_code=404')).body.data).toEqual([
    {
      id: missing,
      seq: 4,
      ...{ request_id: message.request_id, merchant_id: me.merchant_id, actor: { type: 'key', id: me.id } },
      ...{ operation_id: 'getTransaction', method: 'GET', path: '/api/transactions/txn_1' },
      ...{ status_code: 404, error_code: 'not_found', duration_ms: 3 },
      ...{ target_id: null, correlation_id, occurred_at: message.occurred_at },
    },
  ])
})

test.each<[string, (string | undefined)[]]>([
  ['operation_id=listTransactions', [failed, listed]],
  ['method=POST', [created]],
  ['status_class=5xx', [failed]],
  ['status_class=4xx,5xx', [failed, missing]],
  [`actor_id=${user.id}`, [listed]],
  ['actor_type=client', [listed]],
  ['actor_type=key', [failed, missing, created]],
  [`correlation_id=${correlation_id}&method=GET,POST`, [failed, listed, missing, created]],
  [`request_id=${log[0]!.request_id}`, [created]],
  [`from=${log[3]!.occurred_at}&to=${log[4]!.occurred_at}`, [listed, missing]],
  ['dir=asc&limit=2', [created, missing]],
  ["operation_id=x'--", []],
])('calls are filtered by %s', async (query, ids) => {
  expect(await read(`?${query}`)).toMatchObject({ status: 200, ids })
})

test('a list of calls has a cursor to the next page', async () => {
  const first = await service.fetch(me, '/api/requests?limit=3&count=none')
  const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const { body } = await service.call(me, link)
  expect(body.data.map((one: { id: string }) => one.id)).toEqual([created])
})

test('a reader follows the calls by position, and starts at the end with latest', async () => {
  const first = await read('?after_seq=0&limit=3')
  expect([first.ids, (first.body as any).through]).toEqual([[created, missing, listed], 5])
  const second = await read('?after_seq=5&limit=3')
  expect([second.ids, (second.body as any).through]).toEqual([[failed], 8])
  expect((await read('?after_seq=5&status_class=2xx')).body).toMatchObject({ data: [], through: 8, count: null })
  expect((await read('?after_seq=latest')).body).toMatchObject({ data: [], through: 8 })
})

test('a reader that follows the log does not see its own calls, or each would end its next wait', async () => {
  const { through } = (await read('?after_seq=latest', other)).body as any
  const made = { merchant: other.merchant_id, actor: { type: 'key', id: other.id } }
  await world.publish(callOf('/api/requests', 200, { ...made, operation_id: 'listRequests' }))
  const next = callOf('/api/me', 200, { ...made, operation_id: 'getMe' })
  await world.publish(next)
  await waitFor(async () => (await read(`?after_seq=${through}`, other)).ids.includes(next.id))
  expect((await read(`?after_seq=${through}`, other)).ids).toEqual([next.id])
})

test('a reader waits for the next call, whatever else is recorded meanwhile', async () => {
  const { through } = (await read('?after_seq=latest', other)).body as any
  const waiting = read(`?after_seq=${through}&wait=20`, other)
  await world.publish(callOf('/api/transactions', 200))
  const next = callOf('/api/disputes', 200, { merchant: other.merchant_id, actor: { type: 'key', id: other.id } })
  await world.publish(next)
  expect((await soon(waiting)).ids).toEqual([next.id])
})

test('a reader that waits is answered at once when the service stops', async () => {
  const second = await world.start()
  const waiting = second.call(me, '/api/requests?after_seq=latest&wait=20')
  await second.call(me, '/api/requests?after_seq=latest&wait=1')
  await soon(second.stop())
  expect((await waiting).status).toBe(200)
})

test.each([
  ['after_seq=9999', 'after_seq: expected no position beyond the newest record'],
  ['after_seq=x', 'after_seq: expected a position or latest'],
  ['after_seq=1&offset=2', 'after_seq: cannot be combined with cursor, offset, page, from or to'],
  ['wait=1', 'wait: needs after_seq'],
  ['after_seq=1&wait=21', 'wait: expected at most 20 seconds'],
  ['status_code=99', 'status_code: expected a status such as 404'],
  ['status_class=6xx', 'status_class'],
  ['order=seq', 'order'],
])('the query %s is a 400', async (query, detail) => {
  const { status, body } = await read(`?${query}`)
  expect([status, body.error]).toEqual([400, expect.stringContaining(detail)])
})

test('a merchant sees what happened in a lifecycle, the oldest first, without addresses and ids of others', async () => {
  const { status, body } = await service.call(me, `/api/lifecycles/${correlation_id}?limit=6`)
  expect(status).toBe(200)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(log.slice(0, 6).map(({ id }) => id))
  expect(body.data.map(({ actor_type }: any) => actor_type)).toEqual([
    'key',
    'system',
    'payer',
    'key',
    'client',
    'operator',
  ])
  expect(JSON.stringify(body)).not.toMatch(/203\.0\.113|shop\/1\.0|usr_|key_/)
  expect(body.data[1]).toMatchObject({ action: 'checkout_session.created', amount_cents: 25_000, currency: 'MXN' })
})

test.each<[string, (string | undefined)[]]>([
  ['event', [log[1]!.id]],
  ['write', [created]],
  ['event,write', [created, log[1]!.id]],
  ['read', [log[2]!.id, missing, listed, log[5]!.id, failed]],
])('a lifecycle is filtered by kind=%s', async (kind, ids) => {
  const { body } = await service.call(me, `/api/lifecycles/${correlation_id}?kind=${kind}&limit=5`)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids)
})

test('the outcome of a payment that was looked at hundreds of times is on the first page without reads', async () => {
  const watched = newId('corr')
  const looks = Array.from({ length: 250 }, () => callOf('/api/transactions/txn_1', 200))
  const approved = eventMessage({ name: 'payment.approved', merchant_id: me.merchant_id })
  const messages = [callOf('/checkout/v1/sessions', 201, { method: 'POST' }), ...looks, approved].map((message, at) => {
    const atMs = firstAtMs + at
    const occurred_at = new Date(atMs).toISOString()
    return { ...message, correlation_id: watched, id: newId('evt', atMs), occurred_at }
  })
  await Promise.all(messages.map(world.publish))
  const path = `/api/lifecycles/${watched}`
  await waitFor(async () => (await service.call(me, path)).body.count === messages.length)
  const { body } = await service.call(me, `${path}?kind=event,write&limit=200`)
  expect(body.data.map(({ action }: { action: string }) => action)).toEqual(['http.request', 'payment.approved'])
  const all = await readPages(next => service.fetch(me, next), `${path}?limit=100&count=none`)
  expect(all.map(({ id }) => id)).toEqual(messages.map(({ id }) => id))
})

test('a lifecycle that is unknown or belongs to another merchant has no events', async () => {
  const unknown = { data: [], count: 0, limit: 50, offset: 0 }
  const stranger = keyCaller()
  for (const [caller, id] of [
    [me, newId('corr')],
    [stranger, correlation_id],
  ] as const)
    expect(await service.call(caller, `/api/lifecycles/${id}`)).toMatchObject({ status: 200, body: unknown })
  expect((await service.call(me, '/api/lifecycles/corr_1')).status).toBe(404)
})
