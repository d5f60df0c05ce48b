import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { UnreadableNotification } from './acquirer-errors.ts'
import { type NotificationKey, notificationKey } from './notification-wire.ts'
import { signingKeyId, verifyNotification } from './verify-notification.ts'

const now = new Date('2026-11-21T12:00:00.400Z')
const nowSeconds = 1_795_262_400
const charge = { key: 'pi_1:1', status: 'approved', reference: 'r1', response_code: '00', risk_score: 10 }
const notification = { id: 'n1', type: 'charge.settled', created_at: '2026-11-21T11:59:59.000Z', data: charge }
const body = Buffer.from(JSON.stringify(notification, null, 1))

async function pair(alg: 'EdDSA' | 'ES256', kid: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, key: notificationKey.parse({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }) }
}

const [edwards, elliptic, stranger] = await Promise.all([pair('EdDSA', 'k1'), pair('ES256', 'k2'), pair('EdDSA', 'k1')])
const keys = [edwards.key, elliptic.key]

/** Signs as the acquirer does, with the test's changes to the header, the key and the body. */
async function signed(header: object = {}, { by = edwards, over = body as Uint8Array } = {}): Promise<string> {
  const protectedHeader = { alg: by.key.alg, kid: by.key.kid, iat: nowSeconds, ...header }
  const jws = await new CompactSign(over).setProtectedHeader(protectedHeader).sign(by.privateKey)
  return jws.replace(/\..*\./, '..')
}

const verify = (signature: unknown, changes: { rawBody?: Uint8Array; keys?: NotificationKey[] } = {}) =>
  verifyNotification({ rawBody: body, headers: { 'acquirer-signature': signature as string }, keys, now, ...changes })

const encoded = (header: unknown) => Buffer.from(JSON.stringify(header)).toString('base64url')

/** Replaces the header of a valid signature. */
async function withHeader(header: object): Promise<string> {
  return (await signed()).replace(/^[^.]+/, encoded(header))
}

test.each([
  ['EdDSA', edwards],
  ['ES256', elliptic],
])('accepts a notification signed with %s', async (_alg, by) => {
  expect(await verify(await signed({}, { by }))).toEqual({
    ...notification,
    created_at: new Date(notification.created_at),
  })
})

test.each([-300, -299, 0, 300])('accepts a signature made %i s from now', async offset => {
  expect(await verify(await signed({ iat: nowSeconds + offset }))).toMatchObject({ id: 'n1' })
})

test.each<unknown>([-301, 301, -86_400, 1e12])('rejects a signature made %p s from now', async offset => {
  expect(await verify(await signed({ iat: nowSeconds + Number(offset) }))).toBeUndefined()
})

test.each<unknown>([undefined, null, `${nowSeconds}`, nowSeconds + 0.5, true, [nowSeconds], {}])(
  'rejects a signature whose iat is %p',
  async iat => {
    expect(await verify(await signed({ iat }))).toBeUndefined()
  },
)

test('rejects an old signature whose iat was changed afterwards', async () => {
  const old = await signed({ iat: nowSeconds - 3_600 })
  const header = encoded({ alg: 'EdDSA', kid: 'k1', iat: nowSeconds })
  expect(await verify(old.replace(/^[^.]+/, header))).toBeUndefined()
})

const alteredBodies: [string, Uint8Array][] = [
  ['with another risk score', Buffer.from(body.toString().replace('10', '11'))],
  ['serialized again', Buffer.from(JSON.stringify(JSON.parse(body.toString())))],
  ['with an additional line break', Buffer.concat([body, Buffer.from('\n')])],
  ['without its last byte', body.subarray(0, -1)],
  ['with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])],
  ['without content', Buffer.alloc(0)],
]

test.each(alteredBodies)('rejects a notification whose signature is of another body: %s', async (_what, rawBody) => {
  expect(await verify(await signed(), { rawBody })).toBeUndefined()
})

test('rejects a signature by another key under a known key id', async () => {
  expect(await verify(await signed({}, { by: stranger }))).toBeUndefined()
})

test.each<unknown>(['k3', 'k2', '', undefined, null, 1, ['k1'], '__proto__'])(
  'rejects a signature with the key id %p',
  async kid => {
    expect(await verify(await signed({ kid }))).toBeUndefined()
  },
)

test('rejects a signature by a key that is no longer published', async () => {
  expect(await verify(await signed(), { keys: [elliptic.key] })).toBeUndefined()
  expect(await verify(await signed(), { keys: [] })).toBeUndefined()
})

test.each(['none', 'HS256', 'ES256', 'RS256', '', undefined])(
  'rejects the algorithm %p in the header of an EdDSA signature',
  async alg => {
    expect(await verify(await withHeader({ alg, kid: 'k1', iat: nowSeconds }))).toBeUndefined()
  },
)

test('rejects an HMAC with the public key as its secret', async () => {
  const secret = Buffer.from((edwards.key as { x: string }).x, 'base64url')
  const jws = await new CompactSign(body).setProtectedHeader({ alg: 'HS256', kid: 'k1', iat: nowSeconds }).sign(secret)
  expect(await verify(jws.replace(/\..*\./, '..'))).toBeUndefined()
})

test('rejects a header without a signature', async () => {
  expect(await verify(`${encoded({ alg: 'none', kid: 'k1', iat: nowSeconds })}..`)).toBeUndefined()
})

test('rejects a signature with an unknown critical extension', async () => {
  expect(await verify(await withHeader({ alg: 'EdDSA', kid: 'k1', iat: nowSeconds, crit: ['exp'] }))).toBeUndefined()
})

test('rejects a signature header that is missing, repeated or malformed', async () => {
  const good = await signed()
  const [header, , signature] = good.split('.')
  const payload = body.toString('base64url')
  const bad: unknown[] = [
    ...[undefined, '', 'hello', '..', `${header}.`, `${header}..${signature}.`, ` ${good}`, `${good}\n`],
    ...[`${good}, ${good}`, [good], [good, good], `${header}.${payload}.${signature}`, 'x'.repeat(100_000)],
    `${encoded(null)}..${signature}`,
    `${Buffer.from('{').toString('base64url')}..${signature}`,
  ]
  for (const value of bad) expect([value, await verify(value)]).toEqual([value, undefined])
})

test('names the key of a well-formed signature, and none of a malformed one', async () => {
  expect(signingKeyId({ 'acquirer-signature': await signed({ kid: 'unknown' }) })).toBe('unknown')
  for (const malformed of [undefined, 'hello', `${encoded({ kid: 'k1' })}..AA`])
    expect(signingKeyId({ 'acquirer-signature': malformed })).toBeUndefined()
})

test('ignores a signature under another header name', async () => {
  const headers = { 'x-acquirer-signature': await signed() }
  expect(await verifyNotification({ rawBody: body, headers, keys, now })).toBeUndefined()
})

const verifySigned = async (value: unknown) => {
  const isRaw = typeof value === 'string' || value instanceof Uint8Array
  const rawBody = Buffer.from(isRaw ? value : JSON.stringify(value))
  return verify(await signed({}, { over: rawBody }), { rawBody })
}

test.each<[string, unknown]>([
  ['that is no JSON', 'hello'],
  ['that is no object', '[]'],
  ['that is no UTF-8', Buffer.from(JSON.stringify({ ...notification, id: 'ÿ' }), 'latin1')],
  ['without an id', { ...notification, id: undefined }],
  ['with an empty id', { ...notification, id: '' }],
  ['without a type', { ...notification, type: null }],
  ['without a time', { ...notification, created_at: 'yesterday' }],
  ['without data', { ...notification, data: undefined }],
  ['with the data of another type', { ...notification, type: 'voucher.paid' }],
  ['with a settled charge that is processing', { ...notification, data: { ...charge, status: 'processing' } }],
  [
    'with a completed refund that failed',
    { ...notification, type: 'refund.completed', data: { ...charge, status: 'failed' } },
  ],
])('throws UnreadableNotification, without its content, for a signed body %s', async (_what, value) => {
  const error = await verifySigned(value).catch(error => error)
  expect(error).toBeInstanceOf(UnreadableNotification)
  expect(error.message).toBe('The acquirer signed a notification that cannot be read.')
})

test.each(['payout.sent', '__proto__', 'toString'])('returns a notification of the unknown type %s', async type => {
  expect(await verifySigned({ ...notification, type, data: undefined })).toMatchObject({
    id: 'n1',
    type: 'unknown',
    data: { type },
  })
})

test('accepts a notification with unknown fields', async () => {
  const more = { ...notification, version: 2, data: { ...charge, scheme: 'visa' } }
  expect(await verifySigned(more)).toMatchObject({ type: 'charge.settled', data: charge })
})

test('rejects a notification key whose algorithm does not fit its type, and drops private parts', () => {
  for (const change of [
    { alg: 'ES256' },
    { alg: 'HS256' },
    { crv: 'P-256' },
    { kty: 'oct' },
    { use: 'enc' },
    { kid: '' },
  ]) {
    expect(notificationKey.safeParse({ ...edwards.key, ...change }).success).toBe(false)
  }
  expect(notificationKey.parse({ ...edwards.key, d: 'private' })).toEqual(edwards.key)
})
