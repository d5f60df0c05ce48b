import { newId } from '@cobro/contracts'
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
let asOperator: Record<string, string>
beforeAll(async () => {
  world = await gatewayUnderTest()
  asClient = bearer((await world.login(clients[0])).token)
  asOperator = bearer((await world.login(operator)).token)
})
afterAll(() => world.stop())

const path = '/api/api-keys'
const missing = newId('key')
const create = (headers: Record<string, string>, body: unknown = { name: 'shop' }) =>
  send(world.url, path, { headers, body })
const list = (headers: Record<string, string>, query = '') => send(world.url, `${path}${query}`, { headers })
const call = (headers: Record<string, string>, method: string, id: string, body?: unknown) =>
  send(world.url, `${path}/${id}`, { method, headers, body })
const read = async (id: string) => (await call(asClient, 'GET', id)).body.data
const eventsOf = (id: string) =>
  world.tap.messages.filter(({ name, target_id }) => name.startsWith('api_key.') && target_id === id)

test('a client creates an API key of its own merchant, which works at once and is shown once', async () => {
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
    scopes: null,
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

test('an API key with scopes may call only the operations of those scopes, and a change works within a second', async () => {
  const { id, key } = (await create(asClient, { name: 'reports', scopes: ['transactions:read'] })).body
  const use = (method: string, target: string, body?: object) =>
    send(world.url, target, { method, headers: token(key), body })
  const refund = `/api/transactions/${newId('txn')}/refund`
  expect((await use('GET', '/api/transactions')).status).toBe(200)
  world.upstream.reset()
  for (const [method, target, scope] of [
    ['POST', refund, 'transactions:write'],
    ['GET', '/api/checkout-sessions', 'checkout:read'],
    ['POST', '/checkout/v1/sessions', 'checkout:write'],
    ['GET', '/api/settlement-config', 'settlements:read'],
  ] as const) {
    const { status, body } = await use(method, target, method === 'POST' ? {} : undefined)
    expect([status, body.error]).toEqual([403, `forbidden: this API key does not have the scope ${scope}`])
  }
  expect(world.upstream.received).toEqual([])
  await call(asClient, 'PUT', id, { scopes: ['transactions:write'] })
  await withinASecond(403, () => use('GET', '/api/transactions'))
  expect((await use('POST', refund, {})).status).toBe(200)
})

test('an API key is not shown to another user who repeats its creation with the same Idempotency-Key', async () => {
  const body = { name: 'once' }
  const keyed = { 'idempotency-key': newId('req') }
  const first = await create({ ...asClient, ...keyed }, body)
  const stated = { ...asOperator, 'x-merchant-id': world.azul.merchant_id }
  const other = await create({ ...stated, ...keyed }, body)
  expect([other.status, other.body]).toEqual([
    422,
    { error: 'idempotency_mismatch: this Idempotency-Key was used with another body or by another caller' },
  ])
  expect((await create({ ...asClient, ...keyed }, body)).body).toEqual(first.body)
  expect((await list(asClient, '?search=once')).body.count).toBe(1)
})

test('creating an API key emits an event without the key', async () => {
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

test('an operator creates an API key for the merchant that it selects', async () => {
  const answer = await create({ ...asOperator, 'x-merchant-id': world.rojo.merchant_id })
  expect([answer.status, answer.body.merchant_id]).toEqual([201, world.rojo.merchant_id])
  expect((await create(asOperator)).status).toBe(400)
})

test("lists only the API keys of the caller's merchants", async () => {
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

test('searches API keys by name and masked value, and orders them', async () => {
  const first = (await create(asClient, { name: 'Alfa' })).body
  const second = (await create(asClient, { name: 'Beta' })).body
  const last = (await list(asClient, `?search=${second.key.slice(-4)}`)).body.data
  expect(last.map((key: { id: string }) => key.id)).toEqual([second.id])
  const names = (await list(asClient, '?order=name&dir=asc&limit=2')).body.data.map((key: { name: string }) => key.name)
  expect(names).toEqual(['Alfa', 'Beta'])
  await call(asClient, 'DELETE', first.id)
  const revoked = (await list(asClient, '?status=revoked')).body
  expect([revoked.count, revoked.data[0].id]).toEqual([1, first.id])
  expect((await list(asClient, '?status=active&search=alfa')).body.count).toBe(0)
})

describe('updating an API key', () => {
  test("changes an API key's name and addresses, with one event for each", async () => {
    const { id } = (await create(asClient, { name: 'before', allowed_ips: ['10.0.0.0/8'] })).body
    const before = await read(id)
    expect(before).toMatchObject({ name: 'before', allowed_ips: ['10.0.0.0/8'], status: 'active' })
    const answer = await call(asClient, 'PUT', id, { name: 'after' })
    expect([answer.status, answer.body]).toEqual([
      200,
      { data: { ...before, name: 'after', updated_at: expect.any(String) } },
    ])
    expect(answer.body.data.updated_at > before.updated_at).toBe(true)
    const cidrs = ['203.0.113.0/24', '2001:db8::/32']
    expect((await call(asClient, 'PUT', id, { allowed_ips: cidrs })).body.data.allowed_ips).toEqual(cidrs)
    expect((await call(asClient, 'PUT', id, { allowed_ips: null })).body.data.allowed_ips).toBeNull()
    await call(asClient, 'PUT', id, { name: 'both', allowed_ips: ['0.0.0.0/0'] })
    await waitFor(() => eventsOf(id).length === 6)
    expect(eventsOf(id).map(({ name, data }) => [name, data])).toEqual([
      ['api_key.created', { id, name: 'before', scopes: null }],
      ['api_key.renamed', { id, name: 'after' }],
      ['api_key.allowed_ips_changed', { id, name: 'after', allowed_ips: cidrs }],
      ['api_key.allowed_ips_changed', { id, name: 'after', allowed_ips: null }],
      ['api_key.renamed', { id, name: 'both' }],
      ['api_key.allowed_ips_changed', { id, name: 'both', allowed_ips: ['0.0.0.0/0'] }],
    ])
  })

  test("changes an API key's scopes, and an event names them", async () => {
    const scopes = ['checkout:read', 'checkout:write']
    const { id } = (await create(asClient, { name: 'shop', scopes })).body
    expect((await read(id)).scopes).toEqual(scopes)
    expect((await call(asClient, 'PUT', id, { scopes: ['checkout:read'] })).body.data.scopes).toEqual(['checkout:read'])
    expect((await call(asClient, 'PUT', id, { name: 'till' })).body.data.scopes).toEqual(['checkout:read'])
    expect((await call(asClient, 'PUT', id, { scopes: null })).body.data.scopes).toBeNull()
    await waitFor(() => eventsOf(id).length === 4)
    expect(eventsOf(id).map(({ name, data }) => [name, data])).toEqual([
      ['api_key.created', { id, name: 'shop', scopes }],
      ['api_key.scopes_changed', { id, name: 'shop', scopes: ['checkout:read'] }],
      ['api_key.renamed', { id, name: 'till' }],
      ['api_key.scopes_changed', { id, name: 'till', scopes: null }],
    ])
  })

  test('an update of an API key without changes emits no event and keeps updated_at', async () => {
    const { id } = (await create(asClient, { name: 'same', allowed_ips: ['10.0.0.0/8'] })).body
    const before = await read(id)
    for (const body of [{}, { name: 'same' }, { name: 'same', allowed_ips: ['10.0.0.0/8'] }]) {
      expect((await call(asClient, 'PUT', id, body)).body.data).toEqual(before)
    }
    await call(asClient, 'PUT', id, { name: 'other' })
    await waitFor(() => eventsOf(id).some(({ name }) => name === 'api_key.renamed'))
    expect(eventsOf(id)).toHaveLength(2)
  })

  test.each([
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ allowed_ips: [] }, 'allowed_ips'],
    [{ allowed_ips: '10.0.0.0/8' }, 'allowed_ips'],
    [{ allowed_ips: ['10.0.0.1'] }, 'allowed_ips.0: expected a CIDR'],
    [{ allowed_ips: ['10.0.0.0/33'] }, 'allowed_ips.0: expected a CIDR'],
    [{ allowed_ips: ['10.0.0.0/8', 'localhost'] }, 'allowed_ips.1: expected a CIDR'],
    [{ allowed_ips: Array.from({ length: 101 }, (_, i) => `10.0.0.${i}/32`) }, 'allowed_ips'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['users:write'] }, 'scopes.0'],
    [{ scopes: ['checkout:read', 'checkout:read'] }, 'scopes: expected each scope once'],
    [{ expires_at: null }, 'expires_at: unknown field'],
    [{ status: 'revoked' }, 'status: unknown field'],
    [{ key: 'vk_test_mine' }, 'key: unknown field'],
  ])('rejects an update of an API key with %j', async (body, words) => {
    const { id } = (await create(asClient)).body
    const answer = await call(asClient, 'PUT', id, body)
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(words)])
  })
})

describe('revoking an API key', () => {
  test('a revoked API key stops working and stays in the list as revoked', async () => {
    const { id, key } = (await create(asClient, { name: 'ends' })).body
    const answer = await call(asClient, 'DELETE', id)
    expect([answer.status, answer.body]).toEqual([200, { data: { id, deleted: true } }])
    expect(await read(id)).toMatchObject({ name: 'ends', status: 'revoked' })
    for (const [method, what, body] of [
      ['PUT', id, { name: 'again' }],
      ['POST', `${id}/rotate`, {}],
    ] as const) {
      const late = await call(asClient, method, what, body)
      expect([late.status, late.body.error]).toEqual([409, 'conflict: this API key is revoked'])
    }
    await withinASecond(401, () => send(world.url, '/api/transactions', { headers: token(key) }))
  })

  test('revoking an API key repeatedly emits one event', async () => {
    const { id } = (await create(asClient)).body
    const answers = await Promise.all(Array.from({ length: 10 }, () => call(asClient, 'DELETE', id)))
    expect(answers.map(answer => answer.status)).toEqual(Array.from({ length: 10 }, () => 200))
    const later = (await create(asClient)).body
    await waitFor(() => eventsOf(later.id).length === 1)
    expect(eventsOf(id).map(({ name }) => name)).toEqual(['api_key.created', 'api_key.revoked'])
    expect(eventsOf(id)[1]).toMatchObject({ merchant_id: world.azul.merchant_id, actor: { type: 'client' } })
  })
})

describe('permissions for API keys', () => {
  const each = (id: string) =>
    [
      ['GET', id, undefined],
      ['PUT', id, { name: 'mine' }],
      ['POST', `${id}/rotate`, {}],
      ['DELETE', id, undefined],
    ] as const
  const statuses = async (headers: Record<string, string>, id: string) => {
    const answers = []
    for (const [method, what, body] of each(id)) answers.push((await call(headers, method, what, body)).status)
    return answers
  }

  test('denies API key operations to API keys and to callers without a credential', async () => {
    const { id } = (await create(asClient)).body
    expect(await statuses(token(world.azul.key), id)).toEqual([403, 403, 403, 403])
    expect(await statuses({}, id)).toEqual([401, 401, 401, 401])
    for (const headers of [token(world.azul.key), {}]) {
      const status = 'authorization' in headers ? 403 : 401
      expect((await create(headers)).status).toBe(status)
      expect((await list(headers)).status).toBe(status)
    }
  })

  test("denies access to another merchant's API key to clients and to operators who select another merchant", async () => {
    const { id } = (await create({ ...asOperator, 'x-merchant-id': world.rojo.merchant_id })).body
    expect(await statuses(asClient, id)).toEqual([403, 403, 403, 403])
    expect(await statuses({ ...asOperator, 'x-merchant-id': world.azul.merchant_id }, id)).toEqual([403, 403, 403, 403])
    expect((await list({ ...asOperator, 'x-merchant-id': world.rojo.merchant_id })).body.data[0].status).toBe('active')
  })

  test('an operator must select the merchant of the API key that it changes', async () => {
    const { id } = (await create(asClient)).body
    expect(await statuses(asOperator, id)).toEqual([200, 400, 400, 400])
    expect(await statuses({ ...asOperator, 'x-merchant-id': world.azul.merchant_id }, id)).toEqual([200, 200, 201, 200])
  })

  test.each([missing, 'key_nonsense', 'nonsense', newId('whk')])(
    'returns 404 for the nonexistent API key %s to every caller',
    async id => {
      expect(await statuses(asClient, id)).toEqual([404, 404, 404, 404])
    },
  )
})

test.each([
  ['no name', {}, 400],
  ['an empty name', { name: '' }, 400],
  ['a number as the name', { name: 5 }, 400],
  ['a long name', { name: 'x'.repeat(101) }, 400],
  ['an unknown field', { name: 'a', scope: 'all' }, 400],
  ["another merchant's id", { name: 'a', merchant_id: 'mrc_1' }, 400],
  ['a key of its own', { name: 'a', key: 'vk_test_mine' }, 400],
  ['a card number', { name: '4242 4242 4242 4242' }, 400],
  ['a NUL', { name: 'a\0' }, 400],
  ['an expiry in the past', { name: 'a', expires_at: '2020-01-01T00:00:00.000Z' }, 400],
  ['an expiry without a time zone', { name: 'a', expires_at: '2999-01-01T00:00:00' }, 400],
  ['an expiry on a day that does not exist', { name: 'a', expires_at: '2999-02-30T00:00:00Z' }, 400],
  ['an address instead of a CIDR', { name: 'a', allowed_ips: ['10.0.0.1'] }, 400],
  ['broken JSON', '{"name"', 400],
  ['an array as the body', [], 400],
  ['a body that is too large', { name: 'x'.repeat(300_000) }, 413],
])('rejects the creation of an API key with %s', async (_what, body, status) => {
  const answer = await create(asClient, body)
  expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
  expect(answer.requestId).toMatch(/^req_/)
})

test('rejects the creation of an API key with another content type with 415', async () => {
  const answer = await send(world.url, path, { headers: { ...asClient, 'content-type': 'text/plain' }, body: 'name=a' })
  expect([answer.status, answer.body.error]).toEqual([415, expect.stringMatching(/^unsupported_media_type: /)])
})

test.each(['limit=0', 'order=key_hash', 'dir=up', 'unknown=1', 'status[$ne]=active', 'page=1&offset=1'])(
  'rejects a list of API keys with the query %s',
  async query => {
    expect((await list(asClient, `?${query}`)).status).toBe(400)
  },
)
