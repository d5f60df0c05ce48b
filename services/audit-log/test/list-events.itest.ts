import { type Message, newId } from '@cobro/contracts'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { callMessage, eventMessage, startedWorld, type World } from './audit-log-world.ts'

const dayMs = 86_400_000
/** The log starts in the last minute of yesterday, in UTC. Partitions of both days always exist. */
const firstAtMs = Math.floor(Date.now() / dayMs) * dayMs - 60_000
const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10)
const [yesterday, today] = [dayOf(firstAtMs), dayOf(firstAtMs + dayMs)]

const mine = newId('mrc')
const hers = newId('mrc')
const session = newId('cs')
const correlation_id = newId('corr')
const request_id = newId('req')
const lifecycle = { merchant_id: mine, target_id: session, correlation_id }

/** Oldest first, a minute apart. */
const log: Message[] = [
  eventMessage({ ...lifecycle, name: 'checkout_session.created', request_id }),
  callMessage('/checkout/v1/sessions', 201, { ...lifecycle, request_id }),
  eventMessage({ ...lifecycle, name: 'payment.approved', target_id: newId('txn') }),
  callMessage('/api/transactions', 200, { merchant_id: hers }),
  callMessage('/nowhere/50%_off', 404),
  callMessage('/api/transactions', 503, { merchant_id: mine }),
].map((message, minute) => {
  const atMs = firstAtMs + minute * 60_000
  return { ...message, id: newId('evt', atMs), occurred_at: new Date(atMs).toISOString() }
})
const [created, createCall, approved, herCall, strangerCall, failedCall] = log.map(({ id }) => id)

let world: World
let service: Awaited<ReturnType<World['start']>>

beforeAll(async () => {
  ;({ world, service } = await startedWorld())
  await Promise.all(log.map(world.publish))
  await waitFor(async () => (await list('')).count === log.length)
})
afterAll(() => world.close())

async function list(query: string, caller = operatorCaller('all')) {
  const { status, body } = await service.call(caller, `/api/events${query}`)
  return { status, ids: body.data?.map((event: { id: string }) => event.id), count: body.count, error: body.error }
}

test('audit events are listed newest first, with their total count', async () => {
  const newestFirst = log.map(({ id }) => id).reverse()
  expect(await list('')).toMatchObject({ status: 200, ids: newestFirst, count: 6 })
  expect(await list('?limit=2&page=2')).toMatchObject({ ids: newestFirst.slice(2, 4), count: 6 })
  expect(await list('?order=occurred_at&dir=asc')).toMatchObject({ ids: newestFirst.toReversed() })
  expect(await list('?order=created_at&dir=asc')).toMatchObject({ ids: newestFirst.toReversed() })
  expect(await list('?order=status_code&dir=asc&limit=2')).toMatchObject({ ids: [herCall, createCall] })
})

test.each<[string, string, (string | undefined)[]]>([
  ['a whole lifecycle', `?correlation_id=${correlation_id}`, [approved, createCall, created]],
  ['one request', `?request_id=${request_id}`, [createCall, created]],
  ['an action', '?action=payment.approved', [approved]],
  ['a category', '?category=error', [failedCall]],
  ['one object', `?target_id=${session}`, [createCall, created]],
  ['several filters', `?correlation_id=${correlation_id}&action=http.request`, [createCall]],
  ['days up to yesterday', `?to=${yesterday}`, [created]],
  ['days from today on', `?from=${today}`, [failedCall, strangerCall, herCall, approved, createCall]],
  ['free text', '?search=TRANSACTIONS', [failedCall, herCall]],
  ['free text with wildcard characters', `?search=${encodeURIComponent('50%_o')}`, [strangerCall]],
  ['an unknown lifecycle', `?correlation_id=${newId('corr')}`, []],
])('audit events can be filtered by %s', async (_case, query, ids) => {
  expect(await list(query)).toMatchObject({ status: 200, ids, count: ids.length })
})

test.each([
  '?correlation_id=corr_1',
  '?category=money',
  '?from=2026-05-04&to=2026-05-03',
  '?limit=0',
  '?actor=x',
  '?order=path',
])('listing audit events with the query %s is a 400', async query => {
  const answer = await list(query)
  expect(answer).toMatchObject({ status: 400, error: expect.stringMatching(/^invalid_request: /) })
})

test('an operator sees only audit events of the merchants in its scope, or of the one it states', async () => {
  expect((await list('', operatorCaller('all', hers))).ids).toEqual([herCall])
  expect((await list('', operatorCaller([hers]))).ids).toEqual([herCall])
  expect((await list('', operatorCaller([mine, hers]))).count).toBe(5)
  expect((await list('', operatorCaller([mine, hers], hers))).count).toBe(1)
  expect((await list('', operatorCaller([newId('mrc')]))).count).toBe(0)
})

test('an operator can read an audit event only within its scope', async () => {
  const read = async (id: string | undefined, caller = operatorCaller('all')) =>
    (await service.call(caller, `/api/events/${id}`)).status
  expect(await read(herCall)).toBe(200)
  expect(await read(herCall, operatorCaller([hers]))).toBe(200)
  expect(await read(herCall, operatorCaller([mine]))).toBe(403)
  expect(await read(herCall, operatorCaller('all', mine))).toBe(403)
  expect(await read(strangerCall)).toBe(200)
  expect(await read(strangerCall, operatorCaller([mine, hers]))).toBe(403)
  expect(await read(strangerCall, operatorCaller('all', mine))).toBe(403)
  expect(await read(newId('evt'))).toBe(404)
  expect(await read('evt_1')).toBe(404)
})

test('merchants and payers cannot read the audit log', async () => {
  const client = { ...keyCaller(mine), kind: 'client' as const, id: newId('usr') }
  expect((await service.call(keyCaller(mine), '/api/events')).status).toBe(403)
  expect((await service.call(client, '/api/events')).status).toBe(403)
  expect((await service.call({ kind: 'payer' }, '/api/events')).status).toBe(401)
  expect((await fetch(`http://127.0.0.1:${service.port}/api/events`)).status).toBe(401)
})

test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('audit events cannot be changed: %s is a 405', async method => {
  for (const path of ['/api/events', `/api/events/${created}`]) {
    const answer = await service.call(operatorCaller('all', mine), path, method)
    expect(answer).toMatchObject({ status: 405, allow: 'GET', body: { error: 'method_not_allowed: expected GET' } })
  }
})

test('the audit log reports that it is ready', async () => {
  const response = await fetch(`http://127.0.0.1:${service.port}/health/ready`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
})
