import { createHash } from 'node:crypto'
import { ApiError, type Caller, newId } from '@cobro/contracts'
import { internalHeaders } from '../src/internal-headers.ts'
import { mountRoutes } from '../src/mount-routes.ts'
import { reply, route } from '../src/route.ts'
import { bareApp } from '../src/service-app.ts'
import { keyCaller, operatorCaller } from '../src/test-identity.ts'
import { type ServiceUnderTest, serviceUnderTest, thingOperations } from './service-under-test.ts'

let service: ServiceUnderTest
beforeAll(async () => {
  service = await serviceUnderTest()
})
afterAll(() => service.close())
beforeEach(() => {
  service.keyed.length = 0
  service.onAct(async () => ({ done: true }))
})

const mrc = newId('mrc')
const asKey = keyCaller(mrc)
const post = (path: string, key: string, options: { body?: string; as?: Caller } = {}) =>
  service.call('POST', path, { as: asKey, ...options, headers: { 'idempotency-key': key } })
const lastKeyed = () => service.keyed.at(-1)

test('a repeated call has the same key id and body hash', async () => {
  const body = '{"name":"Box"}'
  await post('/api/things', 'order-1', { body })
  const first = lastKeyed()
  expect(first).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{64}$/),
    body_hash: createHash('sha256').update(body).digest('hex'),
    lease: undefined,
    secret: false,
  })
  await post('/api/things', 'order-1', { body: '{ "name":"Box"}' })
  expect(lastKeyed()).toEqual({ ...first, body_hash: expect.not.stringMatching(String(first?.body_hash)) })
})

test('only a replayed response has Idempotent-Replayed', async () => {
  const [first, second] = [await post('/api/things/thing_1/act', 'k'), await post('/api/things/thing_1/act', 'k')]
  expect([first, second].map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual([
    [200, null],
    [200, 'true'],
  ])
  expect(second.headers.get('content-type')).toBe('application/json; charset=utf-8')
})

test('an idempotency key is scoped to a merchant, a method and a path', async () => {
  const act = '/api/things/thing_1/act'
  await post(act, 'k')
  const mine = lastKeyed()?.id
  const other = async (path: string, key: string, as?: Caller) => {
    await post(path, key, as ? { as } : {})
    return lastKeyed()?.id
  }
  expect(await other(act, 'k', { ...keyCaller(mrc), id: newId('key') })).toBe(mine)
  expect(await other(act, 'k', operatorCaller('all', mrc))).toBe(mine)
  expect(await other(act, 'K')).not.toBe(mine)
  expect(await other('/api/things/thing_2/act', 'k')).not.toBe(mine)
  expect(await other(act, 'k', keyCaller())).not.toBe(mine)
})

test("a payer's idempotency key is scoped to the object", async () => {
  const payer = { kind: 'payer' } as const
  await post('/api/things/thing_1/hold', 'k', { as: payer })
  const one = lastKeyed()
  expect(one).toMatchObject({ lease: 'at_once', secret: true })
  await post('/api/things/thing_2/hold', 'k', { as: payer })
  expect(lastKeyed()?.id).not.toBe(one?.id)
})

test('a decline is stored as a response; other errors are not', async () => {
  service.onAct(async () => {
    throw new ApiError('insufficient_funds')
  })
  const declined = await post('/api/things/thing_1/act', 'd')
  expect([declined.status, declined.body]).toEqual([402, { error: 'insufficient_funds', declined: true }])
  const replayed = await post('/api/things/thing_1/act', 'd')
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  expect(replayed.headers.get(internalHeaders.errorCode)).toBe('insufficient_funds')
  service.onAct(async () => {
    throw new ApiError('conflict', 'not now')
  })
  const refused = await post('/api/things/thing_1/act', 'c')
  expect([refused.status, refused.headers.get('idempotent-replayed')]).toEqual([409, null])
})

test('a response with another status is stored with that status', async () => {
  service.onAct(async () => reply(202, { done: false }))
  const answer = await post('/api/things/thing_1/act', 'later')
  expect([answer.status, answer.body]).toEqual([202, { done: false }])
})

test.each([
  ['nothing', ''],
  ['more than 255 characters', 'x'.repeat(256)],
  ['what is not ASCII', 'caf\u00e9'],
  ['a tab', 'a\tb'],
  ['a card number', '4242 4242 4242 4242'],
])('rejects %s as an idempotency key without repeating it', async (_what, key) => {
  const answer = await post('/api/things/thing_1/act', key)
  expect([answer.status, answer.body.error]).toEqual([
    400,
    expect.stringMatching(/^invalid_request: Idempotency-Key: /),
  ])
  expect(answer.text).not.toContain('4242')
  expect(service.keyed).toEqual([])
})

test('an idempotency key may have 255 characters', async () => {
  expect((await post('/api/things/thing_1/act', 'x'.repeat(255))).status).toBe(200)
  expect(service.keyed).toHaveLength(1)
})

test('GET operations and those with idempotency none ignore keys', async () => {
  await service.call('GET', '/api/things', { headers: { 'idempotency-key': 'k' } })
  expect((await post('/api/things/enter', 'k')).status).toBe(200)
  expect(service.keyed).toEqual([])
})

test('a call that is forbidden or invalid does not use its key', async () => {
  expect((await post('/api/things', 'k', { as: { kind: 'payer' }, body: '{"name":"Box"}' })).status).toBe(401)
  expect((await post('/api/things', 'k', { body: '{"nome":"Box"}' })).status).toBe(400)
  expect(service.keyed).toEqual([])
})

test('an app without a store for idempotency keys does not start', () => {
  const routes = [route(thingOperations.act, async () => ({ done: true }))]
  expect(() => mountRoutes(bareApp(), routes, { authenticate: async () => Promise.reject() })).toThrow(
    'actOnThing accepts idempotency keys, but no store for them was given',
  )
})
