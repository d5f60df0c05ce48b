import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { unseal } from '@cobro/database'
import { rawCall } from '@cobro/testing/raw-call'
import {
  CompactEncrypt,
  calculateJwkThumbprint,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { bearer, clients, type GatewayWorld, gatewayUnderTest, send } from './gateway-world.ts'
import { type UpstreamStub, upstreamStub } from './upstream-stub.ts'

let world: GatewayWorld
let good: { header: Record<string, unknown>; payload: JWTPayload; text: string }
let privateJwk: JWK
let publicJwk: JWK
/** A server at the address that forged tokens name for their keys. The gateway must not call it. */
let keyServer: UpstreamStub

beforeAll(async () => {
  world = await gatewayUnderTest()
  keyServer = await upstreamStub()
  const { token } = await world.login(clients[0])
  good = { header: { ...decodeProtectedHeader(token) }, payload: decodeJwt(token), text: token }
  const [row] = await world.database.query('select public_jwk, private_sealed from gateway.signing_keys')
  publicJwk = row.public_jwk
  privateJwk = JSON.parse(unseal(world.config.ENCRYPTION_KEYS, row.private_sealed))
})
afterAll(async () => {
  await keyServer.close()
  await world.stop()
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const statusOf = async (token: string) =>
  (await send(world.url, '/api/transactions', { headers: bearer(token) })).status

/** Signs a token with the deployment's own key, with claims or headers that must be rejected. */
async function signed(
  change: { header?: Record<string, unknown>; payload?: Record<string, unknown> },
  key = privateJwk,
) {
  const header = { ...good.header, ...change.header } as { alg: string }
  return new SignJWT({ ...good.payload, ...change.payload })
    .setProtectedHeader(header)
    .sign(await importJWK(key, 'EdDSA'))
}

/** Signs any header, including those that no library would produce. */
function signedAnyhow(change: Record<string, unknown>, key: KeyObject = createPrivateKey(asNodeKey(privateJwk))) {
  const text = `${encode({ ...good.header, ...change })}.${encode(good.payload)}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

const asNodeKey = (key: JWK) => ({ key: key as never, format: 'jwk' as const })

const now = () => Math.floor(Date.now() / 1000)

test('accepts an access token that the deployment signed', async () => {
  expect(await statusOf(good.text)).toBe(200)
  expect(await statusOf(await signed({}))).toBe(200)
})

test.each(['none', 'None', 'NONE', 'nOnE', ''])('rejects an access token with alg %p and no signature', async alg => {
  expect(await statusOf(`${encode({ ...good.header, alg })}.${encode(good.payload)}.`)).toBe(401)
})

test('rejects HS256 keyed with any encoding of the public key', async () => {
  const pem = createPublicKey(asNodeKey(publicJwk))
  const secrets = [
    JSON.stringify(publicJwk),
    publicJwk.x ?? '',
    Buffer.from(publicJwk.x ?? '', 'base64url'),
    pem.export({ format: 'pem', type: 'spki' }),
    pem.export({ format: 'der', type: 'spki' }),
  ]
  for (const secret of secrets) {
    const text = `${encode({ ...good.header, alg: 'HS256' })}.${encode(good.payload)}`
    const signature = createHmac('sha256', secret).update(text).digest('base64url')
    expect(await statusOf(`${text}.${signature}`)).toBe(401)
  }
})

test.each([
  ['a file path', '../../../../dev/null'],
  ['SQL', "' or 1=1 --"],
  ['unknown', 'unknown'],
  ['empty', ''],
  ['of 4 KB', 'x'.repeat(4_096)],
  ['an array', ['a']],
  ['an array of the right one', () => [good.header.kid]],
  ['a number', 7],
  ['null', null],
  ['missing', undefined],
])('rejects an access token whose kid is %s', async (_what, kid) => {
  expect(await statusOf(signedAnyhow({ kid: typeof kid === 'function' ? kid() : kid }))).toBe(401)
})

describe('access tokens signed with the key of another deployment', () => {
  const theirs = generateKeyPairSync('ed25519')
  const jwk = theirs.publicKey.export({ format: 'jwk' }) as JWK
  const der = theirs.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

  test('rejects an access token signed with a foreign key under our kid or its own', async () => {
    const kid = await calculateJwkThumbprint(jwk)
    for (const header of [{}, { kid }]) expect(await statusOf(signedAnyhow(header, theirs.privateKey))).toBe(401)
  })

  test.each([
    ['jwk', () => jwk],
    ['x5c', () => [der]],
    ['x5t', () => 'dGhlaXJz'],
    ['jku', () => `${keyServer.url}/keys`],
    ['x5u', () => `${keyServer.url}/chain`],
  ])('rejects a foreign key in the header %s, and fetches nothing from it', async (name, value) => {
    const keys = { keys: [{ ...jwk, kid: 'theirs', alg: 'EdDSA' }] }
    keyServer.answer = (_request, response) => response.end(JSON.stringify(keys))
    for (const kid of ['theirs', good.header.kid, undefined]) {
      expect(await statusOf(signedAnyhow({ [name]: value(), kid }, theirs.privateKey))).toBe(401)
    }
    expect(keyServer.received).toEqual([])
  })
})

test.each(['ES256', 'ES512', 'RS256', 'PS256', 'HS512', 'Ed25519', 'eddsa', 'Ed448'])(
  'rejects an access token with alg %s and an EdDSA signature',
  async alg => {
    expect(await statusOf(signedAnyhow({}))).toBe(200)
    expect(await statusOf(signedAnyhow({ alg }))).toBe(401)
  },
)

test('rejects an access token signed by an ES256 key', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { iss, aud, sub, ...rest } = good.payload
  const token = await new SignJWT({ iss, aud, sub, ...rest } as JWTPayload)
    .setProtectedHeader({ ...good.header, alg: 'ES256' })
    .sign(privateKey)
  expect(await statusOf(token)).toBe(401)
})

test('rejects an encrypted access token', async () => {
  const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify(good.payload)))
    .setProtectedHeader({ ...good.header, alg: 'dir', enc: 'A256GCM' })
    .encrypt(Buffer.from(publicJwk.x ?? '', 'base64url'))
  expect(await statusOf(jwe)).toBe(401)
})

test.each([
  ['another issuer', { iss: 'https://evil.test' }],
  ['no issuer', { iss: undefined }],
  ['another audience', { aud: 'other' }],
  ['no audience', { aud: undefined }],
  ['expired', { exp: now() - 60 }],
  ['no expiry', { exp: undefined }],
  ['an expiry that is not a number', { exp: 'never' }],
  ['not yet valid', { nbf: now() + 86_400 }],
  ['no subject', { sub: undefined }],
  ['an unknown subject', { sub: 'usr_01jd0000000000000000000000' }],
  ['no role', { role: undefined }],
  ['no jti', { jti: undefined }],
])('rejects an access token with claims: %s', async (_what, payload) => {
  expect(await statusOf(await signed({ payload }))).toBe(401)
})

test.each([
  ['another typ', { typ: 'JWT' }],
  ['no typ', { typ: undefined }],
  ['an internal token', { typ: 'cobro-internal+jwt' }],
])('rejects an access token with header: %s', async (_what, header) => {
  expect(await statusOf(await signed({ header }))).toBe(401)
})

test.each([
  [{ crit: ['exp'], exp: 1 }],
  [{ crit: ['b64'], b64: false }],
  [{ crit: ['http://example.invalid/UNDEFINED'], 'http://example.invalid/UNDEFINED': true }],
  [{ crit: [] }],
  [{ crit: 'exp' }],
])('rejects an access token with the unknown critical header %j', async header => {
  expect(await statusOf(signedAnyhow(header))).toBe(401)
})

test('rejects an access token with a changed payload', async () => {
  const [header, , signature] = good.text.split('.')
  const payload = { ...good.payload, merchant_id: world.rojo.merchant_id, role: 'operator', merchants: 'all' }
  expect(await statusOf(`${header}.${encode(payload)}.${signature}`)).toBe(401)
})

test.each([
  ['dots', '..'],
  ['five parts', 'a.b.c.d.e'],
  ['half of a token', 'eyJ.eyJ.x'],
  ['one long word', 'x'.repeat(8_000)],
])('rejects %s as an access token', async (_what, text) => {
  expect(await statusOf(text)).toBe(401)
})

test('rejects a token of 64 KB with 431 and continues to serve other requests', async () => {
  const [header, , signature] = good.text.split('.')
  const payload = encode({ ...good.payload, filler: 'x'.repeat(48_000) })
  expect(await statusOf(`${header}.${payload}.${signature}`)).toBe(431)
  expect(await statusOf(good.text)).toBe(200)
})

test.each([
  ['a good token and a forged one', () => [good.text, `${good.text}x`]],
  ['a forged token and a good one', () => [`${good.text}x`, good.text]],
])('rejects %s in two Authorization headers', async (_what, tokens) => {
  const lines = tokens().map(text => `Authorization: Bearer ${text}\r\n`)
  const head = `GET /api/transactions HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines.join('')}\r\n`
  const [answer] = await rawCall(world.port, head)
  expect([answer?.status, answer?.body]).toEqual([400, expect.stringContaining('expected one credential')])
})

test('ignores the role claim of an access token and looks up the user', async () => {
  const claims = { role: 'operator', merchants: 'all', merchant_id: world.rojo.merchant_id }
  const token = await signed({ payload: claims })
  expect((await send(world.url, '/api/events', { headers: bearer(token) })).status).toBe(403)
  await send(world.url, '/api/transactions', { headers: bearer(token) })
  expect(await world.callerOf(world.upstream.received.at(-1))).toMatchObject({
    kind: 'client',
    merchant_id: world.azul.merchant_id,
  })
})
