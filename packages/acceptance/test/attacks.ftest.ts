import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { unseal } from '@cobro/database'
import { secret } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { rawCall } from '@cobro/testing/raw-call'
import { rejectedUrls } from '@cobro/testing/rejected-urls'
import { smugglingRequests } from '@cobro/testing/smuggling-requests'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { apiClient, clientsOf } from '../src/api-client.ts'
import { attacksOfRun } from '../src/attacks-of-run.ts'
import { revokedKey } from '../src/caller-columns.ts'
import { directCall } from '../src/direct-call.ts'
import { directRoutes, forgedIdentities } from '../src/forged-identities.ts'
import { forgedTokens, type TokenMaterial } from '../src/forged-tokens.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let keyServer: Server
let keyServerCalls = 0
beforeAll(async () => {
  stack = await acceptanceStack({ 'webhooks-dispatcher': { WEBHOOKS_ALLOW_PRIVATE: 'false' } })
  clients = await clientsOf(stack.stack)
  keyServer = createServer((_request, response) => {
    keyServerCalls += 1
    response.end('{"keys":[]}')
  })
  await new Promise<void>(resolve => keyServer.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  keyServer?.close()
  await stack?.stop()
})

async function tokenMaterial(): Promise<TokenMaterial> {
  const { base_url, merchant_id, api_key, client } = stack.stack
  const { body } = await apiClient(base_url).call('POST', '/api/auth/login', client)
  const secrets = JSON.parse(await readFile(join(stack.dir, 'secrets.json'), 'utf8'))
  const [id, bytes] = secrets.encryption_keys.gateway.split(':')
  const [{ private_sealed }] = await stack.query('select private_sealed from gateway.signing_keys')
  return {
    token: body.token,
    refreshToken: body.refresh_token,
    signingKey: JSON.parse(unseal([{ id, bytes: secret(Buffer.from(bytes, 'base64')) }], private_sealed)),
    internalKey: secrets.internal_signing_key,
    apiKey: api_key,
    revokedKey: await revokedKey(clients.operator, base_url, merchant_id),
    keyServer: `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}`,
  }
}

test('the gateway rejects each forged token with the same 401 and fetches no key for it', async () => {
  const material = await tokenMaterial()
  const valid = { authorization: `Bearer ${material.token}` }
  expect((await apiClient(stack.stack.base_url, valid).call('GET', '/api/transactions')).status).toBe(200)
  for (const [what, headers] of attacksOfRun('forged tokens', Object.entries(forgedTokens(material)), 43)) {
    const { status, body } = await apiClient(stack.stack.base_url, headers).call('GET', '/api/transactions')
    expect([what, status, body]).toEqual([what, 401, { error: 'unauthorized' }])
  }
  expect(keyServerCalls).toBe(0)
})

test('each service rejects each forged internal identity with 401', async () => {
  const { token } = await tokenMaterial()
  const calls = directRoutes.flatMap(route => forgedIdentities(stack.stack, token).map(call => [route, call] as const))
  for (const [[service, method, path], { what, headers }] of attacksOfRun('forged internal identities', calls, 150)) {
    const answer = await directCall(`${stack.stack.services[service]?.url}${path}`, method, headers)
    const about = `${method} ${path} with ${what}`
    expect([about, answer]).toEqual([about, { status: 401, body: '{"error":"unauthorized"}' }])
  }
})

test('the gateway answers each smuggling request once and never sees the hidden request', async () => {
  const { base_url, api_key } = stack.stack
  const port = Number(new URL(base_url).port)
  const headers = `Host: a\r\nX-API-Key: ${api_key}\r\n`
  const sessions = 'select id from checkout.checkout_sessions order by id'
  const before = await stack.query(sessions)
  const requests = ['/checkout/v1/sessions', '/api/auth/login'].flatMap(smugglingRequests)
  for (const [what, request, status] of attacksOfRun('smuggling requests', requests, 80)) {
    const answers = await rawCall(port, Buffer.from(request(headers), 'latin1'))
    expect([what, answers.map(answer => answer.status)]).toEqual([what, [status]])
  }
  const { requestIds, call } = apiClient(base_url)
  await call('GET', '/health')
  const recorded = "select 1 from audit.events where action = 'http.request' and request_id = $1"
  await waitFor(async () => (await stack.query(recorded, [requestIds[0]])).length > 0)
  expect(await stack.query("select path from audit.events where path like '%smuggled%'")).toEqual([])
  expect(await stack.query(sessions)).toEqual(before)
})

test('webhooks to addresses that are not public are rejected', async () => {
  const events = ['payment.approved']
  for (const [what, url] of attacksOfRun('SSRF addresses', rejectedUrls, 144)) {
    const { status, body } = await clients.merchant.call('POST', '/api/webhooks', { url, events })
    expect([what, status, body]).toEqual([what, 400, { error: 'invalid_request: url: expected a public address' }])
  }
  expect((await clients.merchant.call('GET', '/api/webhooks')).body.data).toEqual([])
})
