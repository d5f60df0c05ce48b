import { mock } from 'node:test'
import { type Caller, newId } from '@cobro/contracts'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { identitySigner, internalJwks, verifyIdentity } from './identity.ts'
import { internalHeaders } from './internal-headers.ts'
import { keyCaller, operatorCaller } from './test-identity.ts'

const caller = keyCaller()
const kid = 'k1'
const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
const stranger = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' }] }
const authenticate = verifyIdentity(jwks, 'checkout')
const now = () => Math.floor(Date.now() / 1000)

const authenticated = (headers: Record<string, unknown>) => authenticate({ headers } as never, {} as never)
const withToken = (token: string) => authenticated({ [internalHeaders.identity]: token })

/** Returns a token like the gateway's, with the given changes. */
function token(change: { payload?: JWTPayload; header?: object; key?: typeof privateKey } = {}): Promise<string> {
  const payload = { caller, iss: 'cobro-gateway', aud: 'checkout', iat: now(), exp: now() + 30, ...change.payload }
  const header = { alg: 'EdDSA', typ: 'cobro-internal+jwt', kid, ...change.header }
  return new SignJWT(payload).setProtectedHeader(header).sign(change.key ?? privateKey)
}

test.each<[string, Caller]>([
  ['a key', keyCaller()],
  ['a user', { ...keyCaller(), kind: 'client', id: newId('usr') }],
  ['an operator of all', operatorCaller()],
  ['an operator of some, who states one', operatorCaller([newId('mrc')], newId('mrc'))],
  ['a payer', { kind: 'payer' }],
  ['the acquirer', { kind: 'acquirer' }],
])("a service reads %s and the request id from the gateway's token", async (_who, caller) => {
  const sign = await identitySigner({ ...(await exportJWK(privateKey)), kid })
  const request_id = newId('req')
  const headers = {
    [internalHeaders.identity]: await sign(caller, 'checkout'),
    [internalHeaders.requestId]: request_id,
  }
  expect(await authenticated(headers)).toEqual({ caller, request_id })
})

test('a service accepts a caller with additional fields of a newer gateway', async () => {
  const payload = { caller: { ...caller, of_a_newer_release: 1 }, of_a_newer_release: 1 }
  expect((await withToken(await token({ payload }))).caller).toEqual(caller)
})

test('a malformed request id is ignored', async () => {
  const headers = { [internalHeaders.identity]: await token(), [internalHeaders.requestId]: 'nonsense\n' }
  expect((await authenticated(headers)).request_id).toBeNull()
})

test.each<[string, () => Promise<string> | string]>([
  ['nothing', () => ''],
  ['nonsense', () => 'a.b.c'],
  ['a token for another service', () => token({ payload: { aud: 'transactions' } })],
  ['a token for several services but this', () => token({ payload: { aud: ['transactions', 'gateway'] } })],
  ['a token of another issuer', () => token({ payload: { iss: 'another-issuer' } })],
  ['an expired token', () => token({ payload: { exp: now() - 6 } })],
  ['a token that never expires', () => token({ payload: { exp: undefined } })],
  ['a token that is not yet good', () => token({ payload: { nbf: now() + 60 } })],
  ['a token of another type', () => token({ header: { typ: 'JWT' } })],
  ['a token without a type', () => token({ header: { typ: undefined } })],
  ["a stranger's key under our kid", () => token({ key: stranger.privateKey })],
  ['an unknown kid', () => token({ header: { kid: 'k2' } })],
  ['no caller', () => token({ payload: { caller: undefined } })],
  ['a caller of an unknown kind', () => token({ payload: { caller: { kind: 'root' } } })],
  ['a caller without its merchant', () => token({ payload: { caller: { kind: 'key', id: newId('key') } } })],
  ['a changed payload', async () => swapped(await token(), 1)],
  ['a changed header', async () => swapped(await token(), 0)],
  ['no algorithm', () => new UnsecuredJWT({ caller }).setIssuer('cobro-gateway').setAudience('checkout').encode()],
  ['the public key as a shared secret', () => hmacWithPublicKey()],
])('rejects the identity of a call with 401 and without a detail: %s', async (_what, make) => {
  await expect(withToken(await make())).rejects.toMatchObject({ status: 401, body: { error: 'unauthorized' } })
})

test('a missing or duplicate token is a 401', async () => {
  await expect(authenticated({})).rejects.toMatchObject({ status: 401 })
  const both = [await token(), await token()]
  await expect(authenticated({ [internalHeaders.identity]: both })).rejects.toMatchObject({ status: 401 })
  await expect(withToken(both.join(', '))).rejects.toMatchObject({ status: 401 })
})

/** Sets the clock, which then stands still until `mock.timers.reset`. */
const stopClock = (at: number) => mock.timers.enable({ apis: ['Date'], now: at })

test('a token is accepted despite a few seconds of clock skew', async () => {
  stopClock(Date.now())
  await expect(withToken(await token({ payload: { exp: now() - 3 } }))).resolves.toMatchObject({ caller })
  mock.timers.reset()
})

test('the current and the next signing key are both accepted', async () => {
  const next = { ...(await exportJWK(stranger.publicKey)), kid: 'k2', alg: 'EdDSA' }
  const both = verifyIdentity({ keys: [...jwks.keys, next] }, 'checkout')
  const ask = (value: string) => both({ headers: { [internalHeaders.identity]: value } } as never, {} as never)
  await expect(ask(await token())).resolves.toMatchObject({ caller })
  await expect(ask(await token({ header: { kid: 'k2' }, key: stranger.privateKey }))).resolves.toMatchObject({ caller })
})

test('a token is valid for a minute', async () => {
  const sign = await identitySigner({ ...(await exportJWK(privateKey)), kid })
  const [, payload = ''] = (await sign(caller, 'checkout')).split('.')
  const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  expect(exp - iat).toBe(60)
})

test('identitySigner rejects a signing key without a kid', async () => {
  await expect(identitySigner(await exportJWK(privateKey))).rejects.toThrow('needs a kid')
})

test.each([
  ['no JSON', 'keys'],
  ['a number', '5'],
  ['a key outside of a set', JSON.stringify(jwks.keys[0])],
  ['an empty set', '{"keys":[]}'],
  ['a key without a name', JSON.stringify({ keys: [{ ...jwks.keys[0], kid: undefined }] })],
  ['a private key', JSON.stringify({ keys: [{ ...jwks.keys[0], d: 'c0ffee' }] })],
])('INTERNAL_JWKS rejects %s without repeating it', (_what, text) => {
  const result = internalJwks.safeParse(text)
  expect(result.success).toBe(false)
  expect(result.error?.message).not.toContain('c0ffee')
})

test('INTERNAL_JWKS accepts the key set of the gateway', () => {
  expect(internalJwks.parse(JSON.stringify(jwks))).toEqual(jwks)
})

/** The token with another character in the middle of one of its three parts. */
function swapped(value: string, part: number): string {
  const parts = value.split('.')
  const text = parts[part]!
  const at = Math.floor(text.length / 2)
  parts[part] = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
  return parts.join('.')
}

async function hmacWithPublicKey(): Promise<string> {
  const { x } = jwks.keys[0] as JWK
  return new SignJWT({ caller })
    .setProtectedHeader({ alg: 'HS256', typ: 'cobro-internal+jwt', kid })
    .setIssuer('cobro-gateway')
    .setAudience('checkout')
    .setExpirationTime('30s')
    .sign(Buffer.from(x!, 'base64url'))
}

test('a token is verified once, and every call gets its own caller object', async () => {
  const verify = jest.spyOn(crypto.subtle, 'verify')
  const shown = await token({ payload: { caller: operatorCaller([newId('mrc')]) } })
  const first = await withToken(shown)
  const before = structuredClone(first)
  if (first.caller.kind === 'operator' && first.caller.merchants !== 'all') first.caller.merchants.push(newId('mrc'))
  expect(first).not.toEqual(before)
  expect(await withToken(shown)).toEqual(before)
  expect(verify).toHaveBeenCalledTimes(1)
  verify.mockRestore()
})

test('the oldest token leaves a full cache', async () => {
  const small = verifyIdentity(jwks, 'checkout', 2)
  const tokens = await Promise.all([28, 29, 30].map(age => token({ payload: { exp: now() + age } })))
  const verify = jest.spyOn(crypto.subtle, 'verify')
  const show = (value?: string) => small({ headers: { [internalHeaders.identity]: value } } as never, {} as never)
  for (const value of [...tokens, ...tokens.slice(1)]) await show(value)
  expect(verify).toHaveBeenCalledTimes(3)
  await show(tokens[0])
  expect(verify).toHaveBeenCalledTimes(4)
  verify.mockRestore()
})

test('a cached token is rejected after it expires', async () => {
  const shown = await token()
  await withToken(shown)
  stopClock(Date.now() + 36_000)
  await expect(withToken(shown)).rejects.toMatchObject({ status: 401 })
  mock.timers.reset()
})
