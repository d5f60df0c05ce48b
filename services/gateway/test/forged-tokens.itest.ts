import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { unseal } from '@cobro/database'
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
import { rawCall } from './raw-call.ts'
import { type UpstreamStub, upstreamStub } from './upstream-stub.ts'

let world: GatewayWorld
let good: { header: Record<string, unknown>; payload: JWTPayload; text: string }
let privateJwk: JWK
let publicJwk: JWK
/** Stands where a token says that its key is to be had. Nobody may ask there. */
let lure: UpstreamStub

beforeAll(async () => {
  world = await gatewayUnderTest()
  lure = await upstreamStub()
  const { token } = await world.login(clients[0])
  good = { header: { ...decodeProtectedHeader(token) }, payload: decodeJwt(token), text: token }
  const [row] = await world.database.query('select public_jwk, private_sealed from gateway.signing_keys')
  publicJwk = row.public_jwk
  privateJwk = JSON.parse(unseal(world.config.ENCRYPTION_KEYS, row.private_sealed))
})
afterAll(async () => {
  await lure.close()
  await world.stop()
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const statusOf = async (token: string) =>
  (await send(world.url, '/api/transactions', { headers: bearer(token) })).status

/** Signs with the deployment's own key what is to be refused for what it says. */
async function signed(
  change: { header?: Record<string, unknown>; payload?: Record<string, unknown> },
  key = privateJwk,
) {
  const header = { ...good.header, ...change.header } as { alg: string }
  return new SignJWT({ ...good.payload, ...change.payload })
    .setProtectedHeader(header)
    .sign(await importJWK(key, 'EdDSA'))
}

/** Signs any header, also one that no library would write. */
function signedAnyhow(change: Record<string, unknown>, key: KeyObject = createPrivateKey(asNodeKey(privateJwk))) {
  const text = `${encode({ ...good.header, ...change })}.${encode(good.payload)}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

const asNodeKey = (key: JWK) => ({ key: key as never, format: 'jwk' as const })

const now = () => Math.floor(Date.now() / 1000)

test('what the deployment signs is good', async () => {
  expect(await statusOf(good.text)).toBe(200)
  expect(await statusOf(await signed({}))).toBe(200)
})

test.each(['none', 'None', 'NONE', 'nOnE', ''])('alg %p without a signature', async alg => {
  expect(await statusOf(`${encode({ ...good.header, alg })}.${encode(good.payload)}.`)).toBe(401)
})

test('HS256 keyed with the public key, in any of its forms', async () => {
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
  ['a path', '../../../../dev/null'],
  ['SQL', "' or 1=1 --"],
  ['unknown', 'unknown'],
  ['empty', ''],
  ['of 4 KB', 'x'.repeat(4_096)],
  ['an array', ['a']],
  ['an array of the right one', () => [good.header.kid]],
  ['a number', 7],
  ['null', null],
  ['missing', undefined],
])('a kid that is %s', async (_what, kid) => {
  expect(await statusOf(signedAnyhow({ kid: typeof kid === 'function' ? kid() : kid }))).toBe(401)
})

describe("another deployment's key", () => {
  const theirs = generateKeyPairSync('ed25519')
  const jwk = theirs.publicKey.export({ format: 'jwk' }) as JWK
  const der = theirs.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

  test('is no key of ours, under our name for it or its own', async () => {
    const kid = await calculateJwkThumbprint(jwk)
    for (const header of [{}, { kid }]) expect(await statusOf(signedAnyhow(header, theirs.privateKey))).toBe(401)
  })

  test.each([
    ['jwk', () => jwk],
    ['x5c', () => [der]],
    ['x5t', () => 'dGhlaXJz'],
    ['jku', () => `${lure.url}/keys`],
    ['x5u', () => `${lure.url}/chain`],
  ])('does not come with the token, and is asked for nowhere: %s', async (name, value) => {
    const keys = { keys: [{ ...jwk, kid: 'theirs', alg: 'EdDSA' }] }
    lure.answer = (_request, response) => response.end(JSON.stringify(keys))
    for (const kid of ['theirs', good.header.kid, undefined]) {
      expect(await statusOf(signedAnyhow({ [name]: value(), kid }, theirs.privateKey))).toBe(401)
    }
    expect(lure.received).toEqual([])
  })
})

test.each(['ES256', 'ES512', 'RS256', 'PS256', 'HS512', 'Ed25519', 'eddsa', 'Ed448'])(
  'alg %s with our own signature',
  async alg => {
    expect(await statusOf(signedAnyhow({}))).toBe(200)
    expect(await statusOf(signedAnyhow({ alg }))).toBe(401)
  },
)

test('ES256 by a key of that kind', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { iss, aud, sub, ...rest } = good.payload
  const token = await new SignJWT({ iss, aud, sub, ...rest } as JWTPayload)
    .setProtectedHeader({ ...good.header, alg: 'ES256' })
    .sign(privateKey)
  expect(await statusOf(token)).toBe(401)
})

test('an encrypted token, keyed with what everybody knows', async () => {
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
  ['an expiry that is no number', { exp: 'never' }],
  ['not yet valid', { nbf: now() + 60 }],
  ['no subject', { sub: undefined }],
  ['a subject that is nobody', { sub: 'usr_01jd0000000000000000000000' }],
  ['no role', { role: undefined }],
  ['no jti', { jti: undefined }],
])('%s', async (_what, payload) => {
  expect(await statusOf(await signed({ payload }))).toBe(401)
})

test.each([
  ['another typ', { typ: 'JWT' }],
  ['no typ', { typ: undefined }],
  ['an internal token', { typ: 'cobro-internal+jwt' }],
])('%s', async (_what, header) => {
  expect(await statusOf(await signed({ header }))).toBe(401)
})

test.each([
  [{ crit: ['exp'], exp: 1 }],
  [{ crit: ['b64'], b64: false }],
  [{ crit: ['http://example.invalid/UNDEFINED'], 'http://example.invalid/UNDEFINED': true }],
  [{ crit: [] }],
  [{ crit: 'exp' }],
])('a header that must be understood and is not: %j', async header => {
  expect(await statusOf(signedAnyhow(header))).toBe(401)
})

test('a payload that was changed', async () => {
  const [header, , signature] = good.text.split('.')
  const payload = { ...good.payload, merchant_id: world.rojo.merchant_id, role: 'operator', merchants: 'all' }
  expect(await statusOf(`${header}.${encode(payload)}.${signature}`)).toBe(401)
})

test.each([
  ['dots', '..'],
  ['five parts', 'a.b.c.d.e'],
  ['half of one', 'eyJ.eyJ.x'],
  ['one long word', 'x'.repeat(8_000)],
])('no token at all, but %s', async (_what, text) => {
  expect(await statusOf(text)).toBe(401)
})

test('a token of 64 KB is refused at the door, and others are served on', async () => {
  const [header, , signature] = good.text.split('.')
  const payload = encode({ ...good.payload, filler: 'x'.repeat(48_000) })
  expect(await statusOf(`${header}.${payload}.${signature}`)).toBe(431)
  expect(await statusOf(good.text)).toBe(200)
})

test.each([
  ['a good token and a forged one', () => [good.text, `${good.text}x`]],
  ['a forged token and a good one', () => [`${good.text}x`, good.text]],
])('%s, in two Authorization headers', async (_what, tokens) => {
  const lines = tokens().map(text => `Authorization: Bearer ${text}\r\n`)
  const head = `GET /api/transactions HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines.join('')}\r\n`
  const [answer] = await rawCall(world.port, head)
  expect([answer?.status, answer?.body]).toEqual([400, expect.stringContaining('expected one credential')])
})

test('a role that a token claims counts for nothing: the user is looked up', async () => {
  const claims = { role: 'operator', merchants: 'all', merchant_id: world.rojo.merchant_id }
  const token = await signed({ payload: claims })
  expect((await send(world.url, '/api/events', { headers: bearer(token) })).status).toBe(403)
  await send(world.url, '/api/transactions', { headers: bearer(token) })
  expect(await world.callerOf(world.upstream.received.at(-1))).toMatchObject({
    kind: 'client',
    merchant_id: world.azul.merchant_id,
  })
})
