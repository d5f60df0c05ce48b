import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { AcquirerUnavailable, type EncryptionKey, httpAcquirer, UnreadableCard } from '@cobro/acquirer'
import { openDatabase } from '@cobro/database'
import { secret } from '@cobro/runtime'
import { schemaDrift, type TestDatabase } from '@cobro/testing'
import { CompactEncrypt, exportJWK, generateKeyPair, importJWK } from 'jose'
import { entities } from '../src/start-acquirer-sandbox.ts'
import { apiKey, encrypted, type RunningSandbox, runSandbox, sandboxDatabase, testPayment } from './running-sandbox.ts'

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

function voucher(changes: object): string {
  return JSON.stringify({ amount_cents: 100, currency: 'MXN', due_at: '2026-11-24T05:59:00Z', ...changes })
}

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${sandbox.url}${path}`, init)
}

describe('authentication', () => {
  test.each([
    ['/v1/encryption-keys', 'GET'],
    ['/v1/tokens', 'POST'],
    ['/v1/charges', 'POST'],
    ['/v1/charges/k', 'GET'],
    ['/v1/charges/k/reverse', 'POST'],
    ['/v1/refunds', 'POST'],
    ['/v1/refunds/k', 'GET'],
    ['/v1/refunds/k/reverse', 'POST'],
    ['/v1/vouchers', 'POST'],
    ['/v1/vouchers/k', 'GET'],
    ['/v1/vouchers/k/withdraw', 'POST'],
    ['/v1/notification-keys', 'GET'],
    ['/v1/sandbox/vouchers/93000000000000/pay', 'POST'],
    ['/v1/sandbox/disputes/d/close', 'POST'],
    ['/v1/elsewhere', 'GET'],
  ])('%s answers 401 without the API key', async (path, method) => {
    for (const authorization of ['', 'Bearer ', `Bearer ${apiKey}x`, `Token ${apiKey}`, apiKey]) {
      const response = await ask(path, { method, headers: authorization ? { authorization } : {} })
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({ error: 'unauthorized' })
    }
  })

  test('serves its health without the API key', async () => {
    for (const path of ['/health/live', '/health/ready']) expect((await ask(path)).status).toBe(200)
  })

  test('rejects an adapter with another API key, and charges nothing', async () => {
    const stranger = httpAcquirer({ url: sandbox.url, apiKey: secret('another') })
    await expect(stranger.encryptionKey()).rejects.toBeInstanceOf(AcquirerUnavailable)
    expect(await stranger.charge({ key: 'k:1', ...JSON.parse(body) })).toMatchObject({ status: 'failed' })
    await stranger.close()
    expect(await sandbox.acquirer.findCharge('k:1')).toEqual({ status: 'not_found' })
  })
})

describe('invalid requests', () => {
  test.each<[string, string, string, number]>([
    ['no body', '/v1/charges', '', 400],
    ['broken JSON', '/v1/charges', '{"token":', 400],
    ['no token', '/v1/charges', '{"amount_cents":100,"currency":"MXN"}', 400],
    ['an amount in pesos', '/v1/charges', '{"token":"t","amount_cents":2.5,"currency":"MXN"}', 400],
    ['an amount as text', '/v1/charges', '{"token":"t","amount_cents":"100","currency":"MXN"}', 400],
    ['an amount of zero', '/v1/charges', '{"token":"t","amount_cents":0,"currency":"MXN"}', 400],
    ['an amount above the maximum', '/v1/charges', '{"token":"t","amount_cents":100000000000,"currency":"MXN"}', 400],
    ['an unknown field', '/v1/charges', '{"token":"t","amount_cents":100,"currency":"MXN","cvc":"123"}', 400],
    ['a card number', '/v1/charges', '{"token":"4242424242424242","amount_cents":100,"currency":"MXN"}', 400],
    ['a body of 1 MiB', '/v1/charges', JSON.stringify({ token: 'x'.repeat(1024 * 1024) }), 413],
    ['a card in clear text', '/v1/tokens', '{"number":"4242424242424242"}', 400],
    ['no card', '/v1/tokens', '{}', 400],
    ['no body', '/v1/refunds', '', 400],
    ['a refund without a payment', '/v1/refunds', '{"amount_cents":100,"currency":"MXN"}', 400],
    [
      'a refund of two payments',
      '/v1/refunds',
      '{"charge_key":"c","voucher_key":"v","amount_cents":100,"currency":"MXN"}',
      400,
    ],
    ['a refund of an invalid key', '/v1/refunds', '{"charge_key":"a b","amount_cents":100,"currency":"MXN"}', 400],
    ['a refund of a fraction', '/v1/refunds', '{"charge_key":"c","amount_cents":0.5,"currency":"MXN"}', 400],
    ['a refund below zero', '/v1/refunds', '{"charge_key":"c","amount_cents":-1,"currency":"MXN"}', 400],
    ['a refund in an invalid currency', '/v1/refunds', '{"charge_key":"c","amount_cents":100,"currency":"mxn"}', 400],
    [
      'a refund with an unknown field',
      '/v1/refunds',
      '{"charge_key":"c","amount_cents":100,"currency":"MXN","reason":"x"}',
      400,
    ],
    ['no body', '/v1/vouchers', '', 400],
    ['a voucher without a due date', '/v1/vouchers', '{"amount_cents":100,"currency":"MXN"}', 400],
    [
      'a voucher with an invalid due date',
      '/v1/vouchers',
      '{"amount_cents":100,"currency":"MXN","due_at":"soon"}',
      400,
    ],
    ['a voucher due in local time', '/v1/vouchers', voucher({ due_at: '2026-11-24T05:59:00-06:00' }), 400],
    ['a voucher due on a day that does not exist', '/v1/vouchers', voucher({ due_at: '2026-02-30T05:59:00Z' }), 400],
    ['a voucher of zero', '/v1/vouchers', voucher({ amount_cents: 0 }), 400],
    ['a voucher of an empty concept', '/v1/vouchers', voucher({ concept: '' }), 400],
    ['a voucher of a long concept', '/v1/vouchers', voucher({ concept: 'x'.repeat(121) }), 400],
    ['a voucher with a card number', '/v1/vouchers', voucher({ concept: 'for 4242424242424242' }), 400],
    ['a voucher with a NUL', '/v1/vouchers', voucher({ concept: 'a\0b' }), 400],
    ['a voucher with an unknown field', '/v1/vouchers', voucher({ store: 'x' }), 400],
    ['a reversal with a body', '/v1/charges/k:4/reverse', '{"why":"x"}', 400],
    ['a reversal of a refund with a body', '/v1/refunds/k:4/reverse', '{"why":"x"}', 400],
    ['a withdrawal with a body', '/v1/vouchers/k:4/withdraw', '{"why":"x"}', 400],
    ['a payment with a body', '/v1/sandbox/vouchers/1/pay', '{"amount_cents":1}', 400],
    ['a closed dispute without outcome', '/v1/sandbox/disputes/d/close', '{}', 400],
    ['a closed dispute with an invalid outcome', '/v1/sandbox/disputes/d/close', '{"outcome":"open"}', 400],
  ])('rejects a request: %s at %s', async (_name, path, body, status) => {
    const response = await ask(path, { method: 'POST', headers: { ...jsonBody, 'idempotency-key': 'k:2' }, body })
    expect(response.status).toBe(status)
    const text = await response.text()
    expect(text).toMatch(/^\{"error":"(invalid_request|payload_too_large): /)
    expect(text).not.toContain('4242424242424242')
  })

  test.each([
    ['charge', '/v1/charges', body],
    ['refund', '/v1/refunds', JSON.stringify({ charge_key: 'c', amount_cents: 100, currency: 'MXN' })],
    ['voucher', '/v1/vouchers', voucher({})],
  ])('rejects a %s without a key or with an invalid one with 400', async (_what, path, body) => {
    for (const header of [{}, { 'idempotency-key': 'a b' }, { 'idempotency-key': 'k'.repeat(256) }]) {
      const response = await ask(path, { method: 'POST', headers: { ...jsonBody, ...header }, body })
      expect(response.status).toBe(400)
    }
  })

  test.each<[string, object, object[]]>([
    [
      '/v1/refunds',
      { charge_key: 'k:5', amount_cents: 100, currency: 'MXN' },
      [{ charge_key: 'k:6' }, { charge_key: undefined, voucher_key: 'k:5' }, { amount_cents: 99 }, { currency: 'USD' }],
    ],
    [
      '/v1/vouchers',
      { amount_cents: 100, currency: 'MXN', due_at: '2099-11-24T05:59:00Z' },
      [{ amount_cents: 99 }, { currency: 'USD' }, { due_at: '2099-11-24T05:59:01Z' }, { concept: 'x' }],
    ],
  ])('%s answers 422 to another body under a used key, and 200 to the same one', async (path, first, changes) => {
    const headers = { ...jsonBody, 'idempotency-key': 'k:7' }
    const statusOf = async (body: object) =>
      (await ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).status
    expect(await statusOf(first)).toBe(200)
    for (const change of changes) expect([change, await statusOf({ ...first, ...change })]).toEqual([change, 422])
    expect(await statusOf(first)).toBe(200)
  })

  test('answers another content type with 415 and an unknown path with 404', async () => {
    const headers = { ...authorized, 'content-type': 'text/plain', 'idempotency-key': 'k:3' }
    expect((await ask('/v1/charges', { method: 'POST', headers, body })).status).toBe(415)
    expect((await ask('/v1/elsewhere', { headers: authorized })).status).toBe(404)
    for (const kind of ['charges', 'refunds', 'vouchers']) {
      expect((await ask(`/v1/${kind}/${'k'.repeat(256)}`, { headers: authorized })).status).toBe(404)
      expect((await ask(`/v1/${kind}/a%20b`, { headers: authorized })).status).toBe(404)
    }
  })
})

async function foreignKey(): Promise<EncryptionKey> {
  const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  return { ...key, ...(await exportJWK(publicKey)) } as EncryptionKey
}

describe('tokenizing a card', () => {
  const seal = async (plaintext: string, header: object, to = key) =>
    new CompactEncrypt(new TextEncoder().encode(plaintext))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid, ...header })
      .encrypt(await importJWK(to, 'ECDH-ES'))

  test.each<[string, () => Promise<string>]>([
    ['no JWE', async () => 'hello'],
    ['a changed bit', async () => (await encrypted(key)).replace(/.{4}$/, 'AAAA')],
    ['an unknown kid', () => seal('{}', { kid: 'unknown' })],
    ['no kid', () => seal('{}', { kid: undefined })],
    ['another key under its kid', async () => seal('{}', {}, await foreignKey())],
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
  ])('rejects an unreadable card: %s', async (_name, make) => {
    await expect(sandbox.acquirer.tokenize(await make(), testPayment)).rejects.toBeInstanceOf(UnreadableCard)
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['an invalid number', { number: '4242424242424241' }, 'visa'],
    ['a past expiry', { exp_year: 2020 }, 'visa'],
    ['an unknown brand', { number: '9999999999999995' }, 'unknown'],
    ['a short security code', { cvc: '1' }, 'visa'],
  ])('tokenizes a card with %s', async (_name, card, brand) => {
    expect(await sandbox.acquirer.tokenize(await encrypted(key, card), testPayment)).toMatchObject({ brand })
  })
})

describe('an encrypted card', () => {
  const minutes = (count: number) => Math.floor(Date.now() / 1000) + count * 60
  const other = { ...testPayment, attempt: 'pi_1:2' }

  test.each<[string, Record<string, unknown>, object]>([
    ['another session', {}, { payable_id: 'cs_2' }],
    ['another amount', {}, { amount_cents: 24_999 }],
    ['another currency', {}, { currency: 'USD' }],
    ['a card of eleven minutes ago', { iat: minutes(-11) }, {}],
    ['a card of the future', { iat: minutes(2) }, {}],
    ['a card without an id', { jti: undefined }, {}],
    ['a card with a short id', { jti: '1' }, {}],
    ['a card for no amount', { amount_cents: undefined }, {}],
  ])('is rejected for %s', async (_name, changes, payment) => {
    const jwe = await encrypted(key, changes)
    const answer = sandbox.acquirer.tokenize(jwe, { ...testPayment, ...payment })
    await expect(answer).rejects.toBeInstanceOf(UnreadableCard)
  })

  test('gets one token for one attempt, also concurrently, and none for another attempt', async () => {
    const jwe = await encrypted(key)
    const tokens = await Promise.all(Array.from({ length: 8 }, () => sandbox.acquirer.tokenize(jwe, testPayment)))
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(1)
    expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBe(1)
    expect(tokens[7]).toEqual({
      ...{ token: tokens[0]?.token, brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2099 },
      fingerprint: expect.stringMatching(/^fp_[\w-]{43}$/),
    })
    await expect(sandbox.acquirer.tokenize(jwe, other)).rejects.toBeInstanceOf(UnreadableCard)
  })

  test('is used for one of two attempts that present it at the same time', async () => {
    const jwe = await encrypted(key)
    const attempts = [testPayment, other].map(payment => sandbox.acquirer.tokenize(jwe, payment))
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('for no payment is accepted for a day after the release before, and never in a new sandbox', async () => {
    const unbound = {
      payable_id: undefined,
      amount_cents: undefined,
      currency: undefined,
      iat: undefined,
      jti: undefined,
    }
    const jwe = await encrypted(key, unbound)
    const until = (time: string) => database.query(`update acquirer_sandbox.unbound_cards set accepted_until = ${time}`)
    await expect(sandbox.acquirer.tokenize(jwe, testPayment)).rejects.toBeInstanceOf(UnreadableCard)
    await until(`now() + interval '1 minute'`)
    expect(await sandbox.acquirer.tokenize(jwe, testPayment)).toMatchObject({ last4: '4242' })
    await until('now()')
    await expect(sandbox.acquirer.tokenize(jwe, testPayment)).rejects.toBeInstanceOf(UnreadableCard)
  })
})

test('publishes the encryption key without its private part', () => {
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

test('publishes the notification keys without their private parts', async () => {
  const response = await ask('/v1/notification-keys', { headers: authorized })
  const { keys } = (await response.json()) as { keys: object[] }
  expect(keys).toEqual([
    { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: expect.any(String), x: expect.any(String) },
  ])
})

test('rejects a card that is encrypted to a signing key', async () => {
  const response = await ask('/v1/notification-keys', { headers: authorized })
  const { keys } = (await response.json()) as { keys: [{ kid: string }] }
  const jwe = await encrypted({ ...key, kid: keys[0].kid })
  await expect(sandbox.acquirer.tokenize(jwe, testPayment)).rejects.toBeInstanceOf(UnreadableCard)
})

test('has entities that match its migrated tables', async () => {
  const db = openDatabase({ url: database.url('acquirer_sandbox'), schema: 'acquirer_sandbox', entities })
  const drift = await schemaDrift(db)
  await db.close()
  expect(drift).toEqual([])
})

test('refuses to start in production and logs the reason', async () => {
  const env = {
    ...process.env,
    COBRO_ENV: 'production',
    PORT: '0',
    DATABASE_URL: 'postgres://nowhere',
    ACQUIRER_API_KEY: apiKey,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    NOTIFICATION_URL: 'http://127.0.0.1:1',
    NODE_OPTIONS: '',
    PROTOCOL_TIMINGS: '',
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
