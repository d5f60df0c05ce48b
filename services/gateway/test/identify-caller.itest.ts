import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { newApiKey } from '../src/api-keys/api-key-format.ts'
import {
  bearer,
  clients,
  type GatewayWorld,
  gatewayUnderTest,
  operator,
  recordOf,
  send,
  start,
  token,
  withinASecond,
} from './gateway-world.ts'

let world: GatewayWorld
let tokens: { operator: string; client: string }
beforeAll(async () => {
  world = await gatewayUnderTest()
  tokens = {
    operator: (await world.login(operator)).token,
    client: (await world.login(clients[0])).token,
  }
})
afterAll(() => world.stop())
beforeEach(() => world.upstream.reset())

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(world.url, path, { method, headers })
const receivedCaller = () => world.callerOf(world.upstream.received.at(-1))
const sessions = '/checkout/v1/sessions'

describe('identifying the caller', () => {
  test.each(['Token', 'X-API-Key'])('identifies a merchant by its API key in the header form %s', async form => {
    const headers = form === 'Token' ? token(world.azul.key) : { 'x-api-key': world.azul.key }
    const answer = await ask('/api/transactions', headers)
    expect(answer.status).toBe(200)
    expect(await receivedCaller()).toEqual({
      kind: 'key',
      id: expect.stringMatching(/^key_/),
      scopes: null,
      merchant_id: world.azul.merchant_id,
      merchant_name: 'Café Azul',
      merchant_status: 'active',
    })
    const record = await recordOf(world, answer.requestId)
    expect(record.actor).toEqual({ type: 'key', id: expect.stringMatching(/^key_/) })
    expect(record.merchant_id).toBe(world.azul.merchant_id)
  })

  test('identifies a client by its access token, for its own merchant', async () => {
    expect((await ask('/api/transactions', bearer(tokens.client))).status).toBe(200)
    expect(await receivedCaller()).toMatchObject({ kind: 'client', merchant_id: world.azul.merchant_id })
  })

  test('identifies an operator by its access token, with its scope', async () => {
    expect((await ask('/api/transactions', bearer(tokens.operator))).status).toBe(200)
    expect(await receivedCaller()).toEqual({
      ...{ kind: 'operator', id: expect.stringMatching(/^usr_/), merchants: 'all' },
      ...{ access: 'admin', auth_time: expect.any(Number), credentials_since: expect.any(Number) },
    })
  })

  test("treats a request without a credential as a payer's", async () => {
    const answer = await ask(`/hosted/v1/checkout/${newId('cs')}`)
    expect(answer.status).toBe(200)
    expect(await receivedCaller()).toEqual({ kind: 'payer' })
    expect((await recordOf(world, answer.requestId)).actor).toEqual({ type: 'payer', id: null })
  })

  test("sends the address of a payer's call to the service, whatever address the call claims, and no other's", async () => {
    const address = () => world.upstream.received.at(-1)?.headers['x-cobro-client-address']
    await ask(`/hosted/v1/checkout/${newId('cs')}`, { 'x-cobro-client-address': '198.51.100.7' })
    expect(address()).toBe('127.0.0.1')
    await ask('/api/transactions', { ...token(world.azul.key), 'x-cobro-client-address': '198.51.100.7' })
    expect(address()).toBeUndefined()
  })

  test('ignores credentials, even invalid ones, on operations that need none', async () => {
    expect((await ask(`/hosted/v1/checkout/${newId('cs')}`, token('nonsense'))).status).toBe(200)
    expect(await receivedCaller()).toEqual({ kind: 'payer' })
    expect((await ask('/.well-known/jwks.json', bearer('nonsense'))).status).toBe(200)
  })

  test('denies checkout operations to access tokens', async () => {
    for (const one of [tokens.client, tokens.operator]) {
      const answer = await ask(`${sessions}/${newId('cs')}`, bearer(one))
      expect([answer.status, answer.body]).toEqual([403, { error: 'forbidden' }])
    }
    expect(world.upstream.received).toEqual([])
  })

  test('denies the audit log to every caller but operators', async () => {
    expect((await ask('/api/events', token(world.azul.key))).status).toBe(403)
    expect((await ask('/api/events', bearer(tokens.client))).status).toBe(403)
    expect((await ask('/api/events', bearer(tokens.operator))).status).toBe(200)
  })
})

describe('invalid credentials', () => {
  const typo = (key: string) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
  test.each([
    ['no credential', () => ({})],
    ['a malformed key', () => token('vk_test_123')],
    ['a key with a typo', () => token(typo(world.azul.key))],
    ['an unknown key', () => token(newApiKey('sandbox'))],
    ['a key of the other environment', () => token(newApiKey('production'))],
    ['a key as a bearer token', () => bearer(world.azul.key)],
    ['a token as a key', () => token(tokens.client)],
    ['an empty key', () => ({ 'x-api-key': '' })],
    ['another scheme', () => ({ authorization: 'Basic dXNlcjpwYXNz' })],
    ['a scheme without a value', () => ({ authorization: 'Token' })],
    ['nonsense as a token', () => bearer('a.b.c')],
  ])('rejects %s as a credential with the same 401', async (_what, headers) => {
    const answer = await ask('/api/transactions', headers() as Record<string, string>)
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }])
    expect(world.upstream.received).toEqual([])
  })

  test.each([
    ['a key and a token', () => ({ ...bearer(tokens.client), 'x-api-key': world.azul.key })],
    ['two keys', () => ({ ...token(world.azul.key), 'x-api-key': world.rojo.key })],
  ])('rejects %s in one request with 400', async (_what, headers) => {
    const answer = await ask('/api/transactions', headers())
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^invalid_request: /)])
    expect(world.upstream.received).toEqual([])
  })

  test('accepts the same API key in both headers as one credential', async () => {
    expect((await ask('/api/transactions', { ...token(world.azul.key), 'x-api-key': world.azul.key })).status).toBe(200)
  })
})

describe('selecting a merchant as an operator', () => {
  const header = (id: string) => ({ ...bearer(tokens.operator), 'x-merchant-id': id })

  test('an operator selects a merchant by header or by query', async () => {
    await ask('/api/transactions', header(world.rojo.merchant_id))
    expect(await receivedCaller()).toMatchObject({ merchant_id: world.rojo.merchant_id, merchant_name: 'Café Rojo' })
    await ask(`/api/transactions?merchant_id=${world.rojo.merchant_id}&limit=5`, bearer(tokens.operator))
    expect(await receivedCaller()).toMatchObject({ merchant_id: world.rojo.merchant_id })
    expect(world.upstream.received.at(-1)?.url).toBe('/api/transactions?limit=5')
    const both = await ask(`/api/transactions?merchant_id=${world.azul.merchant_id}`, header(world.azul.merchant_id))
    expect(both.status).toBe(200)
    expect((await recordOf(world, both.requestId)).merchant_id).toBe(world.azul.merchant_id)
  })

  test('rejects header and query that select different merchants with 400', async () => {
    const answer = await ask(`/api/transactions?merchant_id=${world.azul.merchant_id}`, header(world.rojo.merchant_id))
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('merchant_id')])
    const twice = `/api/transactions?merchant_id=${world.azul.merchant_id}&merchant_id=${world.rojo.merchant_id}`
    expect((await ask(twice, bearer(tokens.operator))).status).toBe(400)
  })

  test.each(['mrc_nonsense', '', 'null', newId('mrc')])(
    'denies the selection of the nonexistent merchant %p with 403',
    async id => {
      expect((await ask('/api/transactions', header(id))).status).toBe(403)
      expect((await ask(`/api/transactions?merchant_id=${id}`, bearer(tokens.operator))).status).toBe(403)
    },
  )

  test('rejects a change by an operator that selects no merchant with 400', async () => {
    const answer = await ask('/api/sucursales', bearer(tokens.operator), 'POST')
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('X-Merchant-Id')])
  })

  test("denies merchants outside an operator's scope", async () => {
    const email = 'some@cobro.test'
    await world.database.query(
      `insert into gateway.users (id, email, password_hash, role, merchants, status, created_at, updated_at)
       select $1, $2, password_hash, role, $3, status, now(), now() from gateway.users where email = $4`,
      [newId('usr'), email, JSON.stringify([world.azul.merchant_id]), operator.email],
    )
    const { token: some } = await world.login({ ...operator, email })
    expect((await ask('/api/transactions', bearer(some))).status).toBe(200)
    expect(await receivedCaller()).toMatchObject({ merchants: [world.azul.merchant_id] })
    const selecting = (id: string) => ask('/api/transactions', { ...bearer(some), 'x-merchant-id': id })
    expect((await selecting(world.azul.merchant_id)).status).toBe(200)
    expect((await selecting(world.rojo.merchant_id)).status).toBe(403)
  })

  test.each([() => bearer(tokens.client), () => token(world.azul.key)])(
    'ignores a merchant selected by a client or an API key',
    async headers => {
      for (const id of [world.rojo.merchant_id, 'nonsense']) {
        const answer = await ask(`/api/transactions?merchant_id=${id}`, { ...headers(), 'x-merchant-id': id })
        expect(answer.status).toBe(200)
        expect(await receivedCaller()).toMatchObject({ merchant_id: world.azul.merchant_id })
        expect(world.upstream.received.at(-1)?.url).toBe('/api/transactions')
      }
    },
  )
})

describe('changes that affect callers', () => {
  test('rejects callers of a disabled merchant within a second on every replica', async () => {
    const second = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/2` })
    const { token: client } = await world.login(clients[1])
    const asks = [token(world.rojo.key), bearer(client)].flatMap(headers =>
      [world.url, second.url].map(url => () => send(url, '/api/transactions', { headers })),
    )
    for (const ask of asks) expect((await ask()).status).toBe(200)
    await world.database.query("update gateway.merchants set status = 'disabled' where id = $1", [
      world.rojo.merchant_id,
    ])
    await withinASecond(401, ...asks)
    await second.stop()
  })

  test('records the use of an API key in last_used_at', async () => {
    await ask('/api/transactions', token(world.azul.key))
    const sql = 'select last_used_at from gateway.api_keys where merchant_id = $1'
    await waitFor(async () => (await world.database.query(sql, [world.azul.merchant_id]))[0].last_used_at !== null)
  })
})
