import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { AcquirerAway, type EncryptionKey, httpAcquirer, UnreadableCard } from '@cobro/acquirer'
import { openDatabase } from '@cobro/database'
import { schemaDrift, type TestDatabase } from '@cobro/testing'
import { CompactEncrypt, exportJWK, generateKeyPair, importJWK } from 'jose'
import { entities } from '../src/start-acquirer-sandbox.ts'
import { apiKey, encrypted, type RunningSandbox, runSandbox, sandboxDatabase } from './running-sandbox.ts'

let database: TestDatabase
let sandbox: RunningSandbox
let key: EncryptionKey

beforeAll(async () => {
  database = await sandboxDatabase()
  sandbox = await runSandbox(database)
  key = await sandbox.acquirer.encryptionKey()
})

afterAll(async () => {
  await sandbox?.stop()
  await database?.drop()
})

const authorized = { authorization: `Bearer ${apiKey}` }
const jsonBody = { ...authorized, 'content-type': 'application/json' }
const body = JSON.stringify({ token: 'tok_x', amount_cents: 100, currency: 'MXN' })

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${sandbox.url}${path}`, init)
}

describe('who may ask', () => {
  test.each([
    ['/v1/encryption-keys', 'GET'],
    ['/v1/tokens', 'POST'],
    ['/v1/charges', 'POST'],
    ['/v1/charges/k', 'GET'],
    ['/v1/charges/k/reverse', 'POST'],
    ['/v1/elsewhere', 'GET'],
  ])('%s is for who knows the secret', async (path, method) => {
    for (const authorization of ['', 'Bearer ', `Bearer ${apiKey}x`, `Token ${apiKey}`, apiKey]) {
      const response = await ask(path, { method, headers: authorization ? { authorization } : {} })
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({ error: 'unauthorized' })
    }
  })

  test('its health is for everybody', async () => {
    for (const path of ['/health/live', '/health/ready']) expect((await ask(path)).status).toBe(200)
  })

  test('an adapter with another secret is turned away, and charges nothing', async () => {
    const stranger = httpAcquirer({ url: sandbox.url, apiKey: 'another' })
    await expect(stranger.encryptionKey()).rejects.toBeInstanceOf(AcquirerAway)
    expect(await stranger.charge({ key: 'k:1', ...JSON.parse(body) })).toMatchObject({ status: 'failed' })
    await stranger.close()
    expect(await sandbox.acquirer.find('k:1')).toEqual({ status: 'not_found' })
  })
})

describe('bad input', () => {
  test.each<[string, string, string, number]>([
    ['no body', '/v1/charges', '', 400],
    ['broken JSON', '/v1/charges', '{"token":', 400],
    ['no token', '/v1/charges', '{"amount_cents":100,"currency":"MXN"}', 400],
    ['an amount in pesos', '/v1/charges', '{"token":"t","amount_cents":2.5,"currency":"MXN"}', 400],
    ['an amount as text', '/v1/charges', '{"token":"t","amount_cents":"100","currency":"MXN"}', 400],
    ['nothing to charge', '/v1/charges', '{"token":"t","amount_cents":0,"currency":"MXN"}', 400],
    ['too large an amount', '/v1/charges', '{"token":"t","amount_cents":100000000000,"currency":"MXN"}', 400],
    ['an unknown field', '/v1/charges', '{"token":"t","amount_cents":100,"currency":"MXN","cvc":"123"}', 400],
    ['a card number', '/v1/charges', '{"token":"4242424242424242","amount_cents":100,"currency":"MXN"}', 400],
    ['a body of 1 MiB', '/v1/charges', JSON.stringify({ token: 'x'.repeat(1024 * 1024) }), 413],
    ['a card in clear', '/v1/tokens', '{"number":"4242424242424242"}', 400],
    ['no card', '/v1/tokens', '{}', 400],
  ])('%s is refused', async (_name, path, body, status) => {
    const response = await ask(path, { method: 'POST', headers: { ...jsonBody, 'idempotency-key': 'k:2' }, body })
    expect(response.status).toBe(status)
    const text = await response.text()
    expect(text).toMatch(/^\{"error":"(invalid_request|payload_too_large): /)
    expect(text).not.toContain('4242424242424242')
  })

  test('a charge without a key, or with a malformed one, is refused', async () => {
    for (const header of [{}, { 'idempotency-key': 'a b' }, { 'idempotency-key': 'k'.repeat(256) }]) {
      const response = await ask('/v1/charges', { method: 'POST', headers: { ...jsonBody, ...header }, body })
      expect(response.status).toBe(400)
    }
  })

  test('another content type is a 415, an unknown path a 404', async () => {
    const headers = { ...authorized, 'content-type': 'text/plain', 'idempotency-key': 'k:3' }
    expect((await ask('/v1/charges', { method: 'POST', headers, body })).status).toBe(415)
    expect((await ask('/v1/elsewhere', { headers: authorized })).status).toBe(404)
    expect((await ask(`/v1/charges/${'k'.repeat(256)}`, { headers: authorized })).status).toBe(404)
  })
})

async function strangersKey(): Promise<EncryptionKey> {
  const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  return { ...key, ...(await exportJWK(publicKey)) } as EncryptionKey
}

describe('a card that cannot be read is refused, and nothing else is', () => {
  const seal = async (plaintext: string, header: object, to = key) =>
    new CompactEncrypt(new TextEncoder().encode(plaintext))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid, ...header })
      .encrypt(await importJWK(to, 'ECDH-ES'))

  test.each<[string, () => Promise<string>]>([
    ['no JWE', async () => 'hello'],
    ['a changed bit', async () => (await encrypted(key)).replace(/.{4}$/, 'AAAA')],
    ['an unknown kid', () => seal('{}', { kid: 'unknown' })],
    ['no kid', () => seal('{}', { kid: undefined })],
    ['another key under its kid', async () => seal('{}', {}, await strangersKey())],
    ['another algorithm', () => seal('{}', { alg: 'ECDH-ES+A256KW' })],
    ['another content encryption', () => seal('{}', { enc: 'A128GCM' })],
    ['no JSON', () => seal('4242 4242', {})],
    ['no object', () => seal('"4242424242424242"', {})],
    ['no number', () => encrypted(key, { number: undefined })],
    ['a number with blanks', () => encrypted(key, { number: '4242 4242 4242 4242' })],
    ['a month of 13', () => encrypted(key, { exp_month: 13 })],
    ['a month as text', () => encrypted(key, { exp_month: '12' })],
    ['a year of two digits', () => encrypted(key, { exp_year: 30 })],
    ['no security code', () => encrypted(key, { cvc: undefined })],
  ])('%s', async (_name, make) => {
    await expect(sandbox.acquirer.tokenize(await make())).rejects.toBeInstanceOf(UnreadableCard)
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['a wrong number', { number: '4242424242424241' }, 'visa'],
    ['a past expiry', { exp_year: 2020 }, 'visa'],
    ['a brand that it does not know', { number: '9999999999999995' }, 'unknown'],
    ['a short security code', { cvc: '1' }, 'visa'],
  ])('%s is a token like any other', async (_name, card, brand) => {
    expect(await sandbox.acquirer.tokenize(await encrypted(key, card))).toMatchObject({ brand })
  })
})

test('the published key has no private part and says what it is for', () => {
  expect(key).toEqual({
    kty: 'EC',
    crv: 'P-256',
    alg: 'ECDH-ES',
    use: 'enc',
    kid: expect.any(String),
    x: expect.any(String),
    y: expect.any(String),
  })
})

test('entities and migrations agree', async () => {
  const db = openDatabase({ url: database.url('acquirer_sandbox'), schema: 'acquirer_sandbox', entities })
  const drift = await schemaDrift(db)
  await db.close()
  expect(drift).toEqual([])
})

test('refuses to start in production, and says why', async () => {
  const env = {
    ...process.env,
    COBRO_ENV: 'production',
    PORT: '0',
    DATABASE_URL: 'postgres://nowhere',
    ACQUIRER_API_KEY: apiKey,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    NOTIFICATION_URL: 'http://127.0.0.1:1',
    NODE_OPTIONS: '',
  }
  const child = spawn(process.execPath, ['--conditions=cobro-source', 'src/main.ts'], {
    env,
    cwd: `${import.meta.dirname}/..`,
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  expect(output).toContain('the sandbox acquirer moves no money and starts in sandbox alone')
})
