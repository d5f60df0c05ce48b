import { waitFor } from '@cobro/testing'
import {
  bearer,
  clients,
  type GatewayWorld,
  gatewayUnderTest,
  operator,
  send,
  token,
  withinASecond,
} from './gateway-world.ts'

let world: GatewayWorld
let asClient: Record<string, string>
beforeAll(async () => {
  world = await gatewayUnderTest()
  asClient = bearer((await world.login(clients[0])).token)
})
afterAll(() => world.stop())

const path = '/api/api-keys'
const create = async (body: object = {}) =>
  (await send(world.url, path, { headers: asClient, body: { name: 'shop', ...body } })).body
const rotate = (id: string, body?: unknown, headers: Record<string, string> = {}) =>
  send(world.url, `${path}/${id}/rotate`, { method: 'POST', headers: { ...asClient, ...headers }, body })
const read = async (id: string) => (await send(world.url, `${path}/${id}`, { headers: asClient })).body.data
const use = (key: string) => send(world.url, '/api/transactions', { headers: token(key) })
const eventsOf = (id: string) =>
  world.tap.messages.filter(({ name, target_id }) => name.startsWith('api_key.') && target_id === id)
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const day = 86_400_000

test('rotating an API key returns a new key, and the old key stays valid for the overlap', async () => {
  const limits = { allowed_ips: ['127.0.0.0/8'], scopes: ['transactions:read'] }
  const old = await create(limits)
  const answer = await rotate(old.id, { overlap_seconds: 3600 })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'shop',
    key: expect.stringMatching(/^vk_test_[0-9A-Za-z]{38}$/),
    merchant_id: world.azul.merchant_id,
  })
  expect(answer.body.id).not.toBe(old.id)
  expect(await read(answer.body.id)).toMatchObject({ ...limits, expires_at: null, status: 'active' })
  const { expires_at, status } = await read(old.id)
  expect(status).toBe('active')
  expect(Math.abs(Date.parse(expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000)
  expect([(await use(old.key)).status, (await use(answer.body.key)).status]).toEqual([200, 200])
  await waitFor(() => eventsOf(old.id).length === 2)
  expect(eventsOf(old.id)[1]).toMatchObject({
    name: 'api_key.rotated',
    merchant_id: world.azul.merchant_id,
    data: { id: old.id, name: 'shop', expires_at, successor_id: answer.body.id },
  })
  expect(eventsOf(answer.body.id).map(({ name }) => name)).toEqual(['api_key.created'])
})

test('the overlap of a rotated API key defaults to one day, with or without a request body', async () => {
  for (const body of [undefined, {}]) {
    const old = await create()
    expect((await rotate(old.id, body)).status).toBe(201)
    expect(Math.abs(Date.parse((await read(old.id)).expires_at) - Date.now() - day)).toBeLessThan(60_000)
  }
})

test('an API key that is rotated with an overlap of 0 is rejected within a second', async () => {
  const old = await create()
  expect((await use(old.key)).status).toBe(200)
  const { key } = (await rotate(old.id, { overlap_seconds: 0 })).body
  await withinASecond(401, () => use(old.key))
  expect((await use(key)).status).toBe(200)
  const again = await rotate(old.id)
  expect([again.status, again.body.error]).toEqual([409, 'conflict: this API key has expired'])
})

test('rotating an API key never extends its own expiry', async () => {
  const expires_at = inMs(3_600_000)
  const old = await create({ expires_at })
  await rotate(old.id, { overlap_seconds: 604_800 })
  expect((await read(old.id)).expires_at).toBe(expires_at)
  await rotate(old.id, { overlap_seconds: 60 })
  expect((await read(old.id)).expires_at < expires_at).toBe(true)
})

test('a rotation sets the requested expiry on the new API key', async () => {
  const old = await create({ expires_at: inMs(day) })
  const expires_at = inMs(30 * day)
  expect((await read((await rotate(old.id, { expires_at })).body.id)).expires_at).toBe(expires_at)
  const past = await rotate(old.id, { expires_at: inMs(-1) })
  expect([past.status, past.body.error]).toEqual([400, 'invalid_request: expires_at: expected a time in the future'])
})

test("an operator's rotation creates the new API key for the same merchant", async () => {
  const old = await create()
  const headers = {
    ...bearer((await world.login(operator)).token),
    'x-merchant-id': world.azul.merchant_id,
  }
  expect((await rotate(old.id, {}, headers)).body.merchant_id).toBe(world.azul.merchant_id)
})

test('a rotation repeated under one Idempotency-Key creates one API key and replays its encrypted response', async () => {
  const old = await create({ name: 'repeated' })
  const ask = () => rotate(old.id, { overlap_seconds: 60 }, { 'idempotency-key': 'rotation' })
  const all = await Promise.all(Array.from({ length: 20 }, ask))
  expect(all.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
  const replay = await ask()
  const keys = [...all.filter(({ status }) => status === 201), replay].map(({ body }) => body.key)
  expect([new Set(keys).size, replay.headers.get('idempotent-replayed')]).toEqual([1, 'true'])
  expect((await send(world.url, `${path}?search=repeated`, { headers: asClient })).body.count).toBe(2)
  const stored = await world.database.query('select k::text from gateway.idempotency_keys k')
  expect(stored).toHaveLength(1)
  expect(JSON.stringify(stored)).not.toContain(replay.body.key)
})

test('an API key that is rotated and revoked concurrently ends up revoked', async () => {
  for (let round = 0; round < 10; round++) {
    const old = await create()
    const [rotated, revoked] = await Promise.all([
      rotate(old.id, {}),
      send(world.url, `${path}/${old.id}`, { method: 'DELETE', headers: asClient }),
    ])
    expect([201, 409]).toContain(rotated.status)
    expect(revoked.status).toBe(200)
    expect((await read(old.id)).status).toBe('revoked')
  }
})

test.each([
  [{ overlap_seconds: -1 }],
  [{ overlap_seconds: 604_801 }],
  [{ overlap_seconds: 1.5 }],
  [{ overlap_seconds: '60' }],
  [{ overlap_seconds: null }],
  [{ overlap: 60 }],
  [{ expires_at: 'tomorrow' }],
  [[]],
  ['{"overlap_seconds":'],
])('rejects an API key rotation with the body %j', async body => {
  const old = await create()
  const answer = await rotate(old.id, body)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^invalid_request: /)])
  expect((await read(old.id)).expires_at).toBeNull()
})
