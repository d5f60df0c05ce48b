import { waitFor } from '@cobro/testing'
import { bearer, clients, type GatewayWorld, gatewayUnderTest, operator, send, token } from './gateway-world.ts'

let world: GatewayWorld
let asClient: Record<string, string>
let asOperator: Record<string, string>
beforeAll(async () => {
  world = await gatewayUnderTest()
  asClient = bearer((await world.login(clients[0])).token)
  asOperator = bearer((await world.login(operator)).token)
})
afterAll(() => world.stop())

const path = '/api/api-keys'
const create = (headers: Record<string, string>, body: unknown = { name: 'shop' }) =>
  send(world.url, path, { headers, body })
const list = (headers: Record<string, string>, query = '') => send(world.url, `${path}${query}`, { headers })

test('a client makes a key of its own merchant, which works at once and is shown once', async () => {
  const answer = await create(asClient)
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'shop',
    key: expect.stringMatching(/^vk_test_[0-9A-Za-z]{38}$/),
    merchant_id: world.azul.merchant_id,
  })
  const { key, id } = answer.body
  expect((await send(world.url, '/api/transactions', { headers: token(key) })).status).toBe(200)
  const listed = await list(asClient)
  expect(listed.body.data[0]).toEqual({
    id,
    name: 'shop',
    key_masked: `vk_test_****${key.slice(-4)}`,
    merchant_id: world.azul.merchant_id,
    status: 'active',
    allowed_ips: null,
    expires_at: null,
    last_used_at: listed.body.data[0].last_used_at,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: expect.any(String),
  })
  const dump = await world.database.query(
    'select k::text from gateway.api_keys k union all select o::text from gateway.outbox o',
  )
  expect(JSON.stringify(dump)).not.toContain(key.slice(8))
})

test('its making is in the audit log, without the key', async () => {
  const { body, requestId } = await create(asClient, { name: 'audited' })
  const event = await waitFor(() => world.tap.messages.find(message => message.data.id === body.id))
  expect(event).toMatchObject({
    name: 'api_key.created',
    merchant_id: world.azul.merchant_id,
    target_id: body.id,
    request_id: requestId,
    actor: { type: 'client' },
    data: { id: body.id, name: 'audited' },
  })
  expect(JSON.stringify(world.tap.messages)).not.toContain(body.key)
})

test('an operator makes one for the merchant that it states', async () => {
  const answer = await create({ ...asOperator, 'x-merchant-id': world.rojo.merchant_id })
  expect([answer.status, answer.body.merchant_id]).toEqual([201, world.rojo.merchant_id])
  expect((await create(asOperator)).status).toBe(400)
})

test('lists are kept to the caller', async () => {
  const ofClient = await list(asClient)
  expect(new Set(ofClient.body.data.map((key: { merchant_id: string }) => key.merchant_id))).toEqual(
    new Set([world.azul.merchant_id]),
  )
  expect(ofClient.body).toMatchObject({ limit: 50, offset: 0, count: ofClient.body.data.length })
  const ofRojo = await list({ ...asOperator, 'x-merchant-id': world.rojo.merchant_id })
  expect(ofRojo.body.count).toBe(2)
  expect((await list(asOperator)).body.count).toBe(ofClient.body.count + 2)
  expect((await list(asOperator, `?merchant_id=${world.rojo.merchant_id}`)).body.count).toBe(2)
  expect((await list(asClient, '?search=AUDIT')).body.count).toBe(1)
  expect((await list(asClient, '?status=revoked')).body.count).toBe(0)
})

test('a key neither makes keys nor lists them', async () => {
  expect((await create(token(world.azul.key))).status).toBe(403)
  expect((await list(token(world.azul.key))).status).toBe(403)
})

test('without a credential: 401', async () => {
  expect((await create({})).status).toBe(401)
  expect((await list({})).status).toBe(401)
})

test.each([
  ['no name', {}, 400],
  ['an empty name', { name: '' }, 400],
  ['a number', { name: 5 }, 400],
  ['a long name', { name: 'x'.repeat(101) }, 400],
  ['an unknown field', { name: 'a', scope: 'all' }, 400],
  ["another's merchant", { name: 'a', merchant_id: 'mrc_1' }, 400],
  ['a key of its own', { name: 'a', key: 'vk_test_mine' }, 400],
  ['a card number', { name: '4242 4242 4242 4242' }, 400],
  ['a NUL', { name: 'a\0' }, 400],
  ['broken JSON', '{"name"', 400],
  ['an array', [], 400],
  ['too much', { name: 'x'.repeat(300_000) }, 413],
])('refuses %s', async (_what, body, status) => {
  const answer = await create(asClient, body)
  expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
  expect(answer.requestId).toMatch(/^req_/)
})

test('refuses another content type', async () => {
  const answer = await send(world.url, path, { headers: { ...asClient, 'content-type': 'text/plain' }, body: 'name=a' })
  expect([answer.status, answer.body.error]).toEqual([415, expect.stringMatching(/^unsupported_media_type: /)])
})

test.each(['limit=0', 'order=key_hash', 'dir=up', 'unknown=1', 'status[$ne]=active', 'page=1&offset=1'])(
  'refuses the query %s',
  async query => {
    expect((await list(asClient, `?${query}`)).status).toBe(400)
  },
)
