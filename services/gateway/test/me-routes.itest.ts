import { operations } from '@cobro/contracts'
import { type AdminWorld, adminWorld, type Headers } from './admin-calls.ts'
import { clients, operator, token } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld(config => ({ ...config, HOSTED_URL: 'https://pay.cobro.test', TRACE_URL: traceUrl }))
})
afterAll(() => world.stop())

const me = async (headers: Headers) => (await world.call(headers, 'GET', '/api/me')).body.data
const makeKey = async (body: object) =>
  (await world.call(world.asClient, 'POST', '/api/api-keys', { name: 'shop', ...body })).body
const idsFor = (kind: 'key' | 'client' | 'operator') =>
  operations.filter(({ callers }) => (callers as readonly string[]).includes(kind)).map(({ id }) => id)
const traceUrl = 'https://traces.cobro.test/{trace_id}'
const deployment = {
  ...{ environment: 'sandbox', currencies: ['MXN', 'USD'], api_version: '1.0.0' },
  ...{
    hosted_url: 'https://pay.cobro.test',
    dashboard_url: 'https://api.cobro.test/dashboard',
    trace_url: null,
    features: [],
  },
}

test('an API key finds out whose it is, when it expires and what it may call', async () => {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  const { id, key } = await makeKey({ expires_at })
  expect(await me(token(key))).toEqual({
    ...{ kind: 'key', id, api_key: { name: 'shop', scopes: null, expires_at }, user: null, merchants: null },
    merchant: {
      id: world.azul.merchant_id,
      name: expect.any(String),
      currency: 'MXN',
      timezone: 'America/Mexico_City',
    },
    permissions: idsFor('key'),
    ...deployment,
  })
})

test('an API key with scopes may call what they cover, and getMe', async () => {
  const { key } = await makeKey({ scopes: ['transactions:read'] })
  const { api_key, permissions } = await me(token(key))
  expect(api_key.scopes).toEqual(['transactions:read'])
  expect(permissions).toEqual(expect.arrayContaining(['getMe', 'listTransactions', 'getTransaction']))
  for (const id of ['refundTransaction', 'listSucursales', 'createApiKey']) expect(permissions).not.toContain(id)
})

test('a user of a merchant gets its name, merchant and permissions', async () => {
  expect(await me(world.asClient)).toEqual({
    ...{ kind: 'client', id: expect.stringMatching(/^usr_/), api_key: null, merchants: null },
    user: { email: clients[0].email, name: null, access: 'owner' },
    merchant: {
      id: world.azul.merchant_id,
      name: expect.any(String),
      currency: 'MXN',
      timezone: 'America/Mexico_City',
    },
    permissions: idsFor('client'),
    ...deployment,
  })
})

test('an operator gets its scope, and the merchant that it states', async () => {
  const answer = await me(world.asOperator)
  expect(answer).toMatchObject({ kind: 'operator', merchants: 'all', merchant: null, user: { email: operator.email } })
  expect(answer).toMatchObject({ ...deployment, trace_url: traceUrl })
  expect(answer.permissions).toEqual(idsFor('operator'))
  const stating = await me({ ...world.asOperator, 'x-merchant-id': world.azul.merchant_id })
  expect(stating.merchant.id).toBe(world.azul.merchant_id)
})

test('an operator of some merchants gets their ids, fewer permissions, and no other merchant', async () => {
  const { headers } = await world.makeOperator([world.azul.merchant_id])
  const { merchants, permissions } = await me(headers)
  expect(merchants).toEqual([world.azul.merchant_id])
  expect(permissions).toContain('updateMerchant')
  for (const id of ['createMerchant', 'verifyEvents']) expect(permissions).not.toContain(id)
  const other = { ...headers, 'x-merchant-id': await world.makeMerchant() }
  expect((await world.call(other, 'GET', '/api/me')).status).toBe(403)
})

test('a call without a valid credential is rejected', async () => {
  for (const headers of [{}, token('vk_test_unknown')])
    expect((await world.call(headers, 'GET', '/api/me')).status).toBe(401)
})
