import { createHmac, generateKeyPairSync } from 'node:crypto'
import { unseal } from '@cobro/database'
import {
  calculateJwkThumbprint,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
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

const now = () => Math.floor(Date.now() / 1000)

test('what the deployment signs is good', async () => {
  expect(await statusOf(good.text)).toBe(200)
  expect(await statusOf(await signed({}))).toBe(200)
})

test.each(['none', 'None', 'NONE', 'nOnE', ''])('alg %p without a signature', async alg => {
  expect(await statusOf(`${encode({ ...good.header, alg })}.${encode(good.payload)}.`)).toBe(401)
})

test('HS256 keyed with the public key, in any of its forms', async () => {
  const pem = (await import('node:crypto')).createPublicKey({ key: publicJwk as never, format: 'jwk' })
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
  ['../../../../dev/null'],
  ["' or 1=1 --"],
  ['unknown'],
  [''],
  ['x'.repeat(4_000)],
  [['a']],
  [7],
  [null],
  [undefined],
])('kid %p', async kid => {
  expect(await statusOf(await signed({ header: { kid } }))).toBe(401)
})

test("another deployment's key, also under our key's name", async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const theirs = await exportJWK(privateKey)
  const jwk = await exportJWK(publicKey)
  expect(await statusOf(await signed({}, theirs))).toBe(401)
  expect(await statusOf(await signed({ header: { kid: await calculateJwkThumbprint(jwk) } }, theirs))).toBe(401)
  expect(await statusOf(await signed({ header: { jwk } }, theirs))).toBe(401)
})

test.each(['jku', 'x5u'])('%s that says where its key is', async name => {
  expect(await statusOf(await signed({ header: { [name]: `${lure.url}/keys`, kid: 'theirs' } }))).toBe(401)
  expect(lure.received).toEqual([])
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

test('a header that must be understood and is not', async () => {
  const token = await signed({})
  const [, payload, signature] = token.split('.')
  expect(await statusOf(`${encode({ ...good.header, crit: ['exp'] })}.${payload}.${signature}`)).toBe(401)
})

test('a payload that was changed', async () => {
  const [header, , signature] = good.text.split('.')
  const payload = { ...good.payload, merchant_id: world.rojo.merchant_id, role: 'operator', merchants: 'all' }
  expect(await statusOf(`${header}.${encode(payload)}.${signature}`)).toBe(401)
})

test.each([['..'], ['a.b.c.d.e'], ['eyJ.eyJ.x'], ['x'.repeat(8_000)]])('no token at all: %.20s', async text => {
  expect(await statusOf(text)).toBe(401)
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
