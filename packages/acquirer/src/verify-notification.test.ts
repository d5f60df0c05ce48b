import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { UnreadableNotice } from './acquirer.ts'
import { type NotificationKey, notificationKey } from './notifications.ts'
import { verifyNotification } from './verify-notification.ts'

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

/** Signs like an acquirer, but for what the test changes. */
async function signed(header: object = {}, { by = edwards, over = body as Uint8Array } = {}): Promise<string> {
  const protectedHeader = { alg: by.key.alg, kid: by.key.kid, iat: nowSeconds, ...header }
  const jws = await new CompactSign(over).setProtectedHeader(protectedHeader).sign(by.privateKey)
  return jws.replace(/\..*\./, '..')
}

const verify = (signature: unknown, given: { rawBody?: Uint8Array; keys?: NotificationKey[] } = {}) =>
  verifyNotification({ rawBody: body, headers: { 'acquirer-signature': signature as string }, keys, now, ...given })

/** The same signature under a header that says something else. */
async function relabelled(header: object): Promise<string> {
  return (await signed()).replace(/^[^.]+/, Buffer.from(JSON.stringify(header)).toString('base64url'))
}

test.each([
  ['EdDSA', edwards],
  ['ES256', elliptic],
])('reads what is signed by %s', async (_alg, by) => {
  expect(await verify(await signed({}, { by }))).toEqual({
    ...notification,
    created_at: new Date(notification.created_at),
  })
})

describe('the time of signing', () => {
  test.each([-300, -299, 0, 300])('%i s from now will do', async offset => {
    expect(await verify(await signed({ iat: nowSeconds + offset }))).toMatchObject({ id: 'n1' })
  })

  test.each<unknown>([-301, 301, -86_400, 1e12])('%p s from now will not', async offset => {
    expect(await verify(await signed({ iat: nowSeconds + Number(offset) }))).toBeUndefined()
  })

  test.each<unknown>([undefined, null, `${nowSeconds}`, nowSeconds + 0.5, true, [nowSeconds], {}])(
    '%p is no time',
    async iat => {
      expect(await verify(await signed({ iat }))).toBeUndefined()
    },
  )

  test('cannot be changed afterwards', async () => {
    const old = await signed({ iat: nowSeconds - 3_600 })
    const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid: 'k1', iat: nowSeconds })).toString('base64url')
    expect(await verify(old.replace(/^[^.]+/, header))).toBeUndefined()
  })
})

describe('the body', () => {
  const altered: [string, Uint8Array][] = [
    ['another amount of risk', Buffer.from(body.toString().replace('10', '11'))],
    ['written again by a JSON library', Buffer.from(JSON.stringify(JSON.parse(body.toString())))],
    ['a line break more', Buffer.concat([body, Buffer.from('\n')])],
    ['a byte less', body.subarray(0, -1)],
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])],
    ['empty', Buffer.alloc(0)],
  ]

  test.each(altered)('%s was not signed', async (_what, rawBody) => {
    expect(await verify(await signed(), { rawBody })).toBeUndefined()
  })
})

describe('the key', () => {
  test('a stranger under the right key id is refused', async () => {
    expect(await verify(await signed({}, { by: stranger }))).toBeUndefined()
  })

  test.each<unknown>(['k3', 'k2', '', undefined, null, 1, ['k1'], '__proto__'])(
    'the key id %p is refused',
    async kid => {
      expect(await verify(await signed({ kid }))).toBeUndefined()
    },
  )

  test('a key that was taken back no longer counts', async () => {
    expect(await verify(await signed(), { keys: [elliptic.key] })).toBeUndefined()
    expect(await verify(await signed(), { keys: [] })).toBeUndefined()
  })
})

describe('the algorithm is the key’s own', () => {
  test.each(['none', 'HS256', 'ES256', 'RS256', '', undefined])('%p in the header is refused', async alg => {
    expect(await verify(await relabelled({ alg, kid: 'k1', iat: nowSeconds }))).toBeUndefined()
  })

  test('a public key is no shared secret', async () => {
    const secret = Buffer.from((edwards.key as { x: string }).x, 'base64url')
    const jws = await new CompactSign(body)
      .setProtectedHeader({ alg: 'HS256', kid: 'k1', iat: nowSeconds })
      .sign(secret)
    expect(await verify(jws.replace(/\..*\./, '..'))).toBeUndefined()
  })

  test('no signature at all is refused, whatever the header says', async () => {
    const header = Buffer.from(JSON.stringify({ alg: 'none', kid: 'k1', iat: nowSeconds })).toString('base64url')
    expect(await verify(`${header}..`)).toBeUndefined()
  })

  test('an extension that nobody understands is refused', async () => {
    expect(await verify(await relabelled({ alg: 'EdDSA', kid: 'k1', iat: nowSeconds, crit: ['exp'] }))).toBeUndefined()
  })
})

describe('the header', () => {
  test('missing, given twice, or of another form is refused', async () => {
    const good = await signed()
    const [header, , signature] = good.split('.')
    const payload = body.toString('base64url')
    const bad: unknown[] = [
      ...[undefined, '', 'hello', '..', `${header}.`, `${header}..${signature}.`, ` ${good}`, `${good}\n`],
      ...[`${good}, ${good}`, [good], [good, good], `${header}.${payload}.${signature}`, 'x'.repeat(100_000)],
      `${Buffer.from('null').toString('base64url')}..${signature}`,
      `${Buffer.from('{').toString('base64url')}..${signature}`,
    ]
    for (const value of bad) expect([value, await verify(value)]).toEqual([value, undefined])
  })

  test('of another name is not looked at', async () => {
    const headers = { 'x-acquirer-signature': await signed() }
    expect(await verifyNotification({ rawBody: body, headers, keys, now })).toBeUndefined()
  })
})

describe('what was rightly signed', () => {
  const read = async (value: unknown) => {
    const rawBody = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
    return verify(await signed({}, { over: rawBody }), { rawBody })
  }

  test.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['no object', '[]'],
    ['no id', { ...notification, id: undefined }],
    ['an empty id', { ...notification, id: '' }],
    ['no type', { ...notification, type: null }],
    ['no time', { ...notification, created_at: 'yesterday' }],
    ['no data', { ...notification, data: undefined }],
    ['data of another type', { ...notification, type: 'voucher.paid' }],
    ['a charge that has not settled', { ...notification, data: { ...charge, status: 'processing' } }],
    [
      'a completed refund that failed',
      { ...notification, type: 'refund.completed', data: { ...charge, status: 'failed' } },
    ],
  ])('with %s is an error, which names nothing of it', async (_what, value) => {
    const error = await read(value).catch(error => error)
    expect(error).toBeInstanceOf(UnreadableNotice)
    expect(error.message).toBe('The acquirer signed a notice that cannot be read.')
  })

  test.each(['payout.sent', '__proto__', 'toString'])('of the unknown type %s is let by', async type => {
    expect(await read({ ...notification, type, data: undefined })).toMatchObject({
      id: 'n1',
      type: 'unknown',
      data: { type },
    })
  })

  test('with more fields than we know is read', async () => {
    const more = { ...notification, version: 2, data: { ...charge, scheme: 'visa' } }
    expect(await read(more)).toMatchObject({ type: 'charge.settled', data: charge })
  })
})

test('a key that is said to be of another algorithm than its type is no key of ours', () => {
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
