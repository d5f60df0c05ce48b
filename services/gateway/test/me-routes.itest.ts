import { operations } from '@cobro/contracts'
import { bearer, clients, type GatewayWorld, gatewayUnderTest, operator, send, token } from './gateway-world.ts'

let world: GatewayWorld
let asClient: Record<string, string>
beforeAll(async () => {
  world = await gatewayUnderTest()
  asClient = bearer((await world.login(clients[0])).token)
})
afterAll(() => world.stop())

const me = async (headers: Record<string, string>) => (await send(world.url, '/api/me', { headers })).body.data
const makeKey = async (body: object) =>
  (await send(world.url, '/api/api-keys', { headers: asClient, body: { name: 'shop', ...body } })).body
const idsFor = (kind: 'key' | 'client' | 'operator') =>
  operations.filter(({ callers }) => (callers as readonly string[]).includes(kind)).map(({ id }) => id)
const deployment = { environment: 'sandbox', currencies: ['MXN', 'USD'], api_version: '1.0.0' }

test('an API key finds out whose it is, when it expires and what it may call', async () => {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  const { id, key } = await makeKey({ expires_at })
  expect(await me(token(key))).toEqual({
    ...{ kind: 'key', id, api_key: { name: 'shop', scopes: null, expires_at }, user: null, merchants: null },
    merchant: { id: world.azul.merchant_id, name: expect.any(String), currency: 'MXN' },
    permissions: idsFor('key'),
    ...deployment,
  })
})

test('an API key with scopes may call what they cover, and getMe', async () => {
  const { key } = await makeKey({ scopes: ['transactions:read'] })
  const answer = await me(token(key))
  expect(answer.api_key.scopes).toEqual(['transactions:read'])
  expect(answer.permissions).toEqual(expect.arrayContaining(['getMe', 'listTransactions', 'getTransaction']))
  expect(answer.permissions).not.toEqual(expect.arrayContaining(['refundTransaction']))
  expect(answer.permissions).not.toEqual(expect.arrayContaining(['listSucursales']))
})

test('a user of a merchant gets its name, merchant and permissions', async () => {
  const answer = await me(asClient)
  expect(answer).toEqual({
    ...{ kind: 'client', id: expect.stringMatching(/^usr_/), api_key: null, merchants: null },
    user: { email: clients[0].email, name: null },
    merchant: { id: world.azul.merchant_id, name: expect.any(String), currency: 'MXN' },
    permissions: idsFor('client'),
    ...deployment,
  })
})

test('an operator gets its scope, and the merchant that it states', async () => {
  const headers = bearer((await world.login(operator)).token)
  const answer = await me(headers)
  expect(answer).toMatchObject({ kind: 'operator', merchants: 'all', merchant: null, user: { email: operator.email } })
  expect(answer.permissions).toEqual(idsFor('operator'))
  const stating = await me({ ...headers, 'x-merchant-id': world.azul.merchant_id })
  expect(stating.merchant.id).toBe(world.azul.merchant_id)
})

test('a call without a valid credential is rejected', async () => {
  for (const headers of [{}, token('vk_test_unknown')])
    expect((await send(world.url, '/api/me', { headers })).status).toBe(401)
})
