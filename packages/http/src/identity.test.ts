import { type Caller, newId } from '@cobro/contracts'
import { jest } from '@jest/globals'
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

/** A token as the gateway makes them, but for what is changed. */
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
])('%s is known again on the other side, with the id of the request', async (_who, caller) => {
  const sign = await identitySigner({ ...(await exportJWK(privateKey)), kid })
  const request_id = newId('req')
  const headers = {
    [internalHeaders.identity]: await sign(caller, 'checkout'),
    [internalHeaders.requestId]: request_id,
  }
  expect(await authenticated(headers)).toEqual({ caller, request_id })
})

test('a caller is known of whom a newer gateway tells more', async () => {
  const payload = { caller: { ...caller, of_a_newer_release: 1 }, of_a_newer_release: 1 }
  expect((await withToken(await token({ payload }))).caller).toEqual(caller)
})

test('a request id that is none is left out', async () => {
  const headers = { [internalHeaders.identity]: await token(), [internalHeaders.requestId]: 'nonsense\n' }
  expect((await authenticated(headers)).request_id).toBeNull()
})

test.each<[string, () => Promise<string> | string]>([
  ['nothing', () => ''],
  ['nonsense', () => 'a.b.c'],
  ['a token for another service', () => token({ payload: { aud: 'transactions' } })],
  ['a token for several services but this', () => token({ payload: { aud: ['transactions', 'gateway'] } })],
  ['a token of another issuer', () => token({ payload: { iss: 'somebody' } })],
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
])('%s is a 401 that says no more', async (_what, make) => {
  await expect(withToken(await make())).rejects.toMatchObject({ status: 401, body: { error: 'unauthorized' } })
})

test('no token at all, or two of them, is a 401', async () => {
  await expect(authenticated({})).rejects.toMatchObject({ status: 401 })
  const both = [await token(), await token()]
  await expect(authenticated({ [internalHeaders.identity]: both })).rejects.toMatchObject({ status: 401 })
  await expect(withToken(both.join(', '))).rejects.toMatchObject({ status: 401 })
})

test('clocks may differ by a few seconds', async () => {
  await expect(withToken(await token({ payload: { exp: now() - 3 } }))).resolves.toMatchObject({ caller })
})

test('while keys are changed both are good', async () => {
  const next = { ...(await exportJWK(stranger.publicKey)), kid: 'k2', alg: 'EdDSA' }
  const both = verifyIdentity({ keys: [...jwks.keys, next] }, 'checkout')
  const ask = (value: string) => both({ headers: { [internalHeaders.identity]: value } } as never, {} as never)
  await expect(ask(await token())).resolves.toMatchObject({ caller })
  await expect(ask(await token({ header: { kid: 'k2' }, key: stranger.privateKey }))).resolves.toMatchObject({ caller })
})

test('a token is good for half a minute', async () => {
  const sign = await identitySigner({ ...(await exportJWK(privateKey)), kid })
  const [, payload = ''] = (await sign(caller, 'checkout')).split('.')
  const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  expect(exp - iat).toBe(30)
})

test('a signing key without a name is refused at the start', async () => {
  await expect(identitySigner(await exportJWK(privateKey))).rejects.toThrow('needs a kid')
})

test.each([
  ['no JSON', 'keys'],
  ['a number', '5'],
  ['a key outside of a set', JSON.stringify(jwks.keys[0])],
  ['an empty set', '{"keys":[]}'],
  ['a key without a name', JSON.stringify({ keys: [{ ...jwks.keys[0], kid: undefined }] })],
  ['a private key', JSON.stringify({ keys: [{ ...jwks.keys[0], d: 'c0ffee' }] })],
])('%s is no setting INTERNAL_JWKS, and is not repeated', (_what, text) => {
  const result = internalJwks.safeParse(text)
  expect(result.success).toBe(false)
  expect(result.error?.message).not.toContain('c0ffee')
})

test('the setting INTERNAL_JWKS is a key set as the gateway shows it', () => {
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

test('a token is checked once, and every call gets a caller of its own', async () => {
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

test('a token that was good is refused once it has run out', async () => {
  const shown = await token()
  await withToken(shown)
  jest.useFakeTimers({ now: Date.now() + 36_000, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
  await expect(withToken(shown)).rejects.toMatchObject({ status: 401 })
  jest.useRealTimers()
})
