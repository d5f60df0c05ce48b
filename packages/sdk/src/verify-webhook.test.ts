import { createHmac } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secretPrefixes } from '@cobro/contracts'
import fc from 'fast-check'
import { verifyWebhook, verifyWebhookRequest } from './verify-webhook.ts'
import { WebhookVerificationError } from './webhook.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwvL1yZ3rF0pA='
const otherSecret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='
const atSeconds = 1_767_225_600
const nowMs = atSeconds * 1_000
const body = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  event: 'payment.approved',
  merchant_id: 'mrc_1',
  created_at: '2026-01-01T00:00:00.000Z',
  data: { id: 'txn_1', note: 'ñandú €' },
})

const sign = (bytes: string | Uint8Array, key = secret, timestamp: string | number = atSeconds) =>
  createHmac('sha256', key).update(`${timestamp}.`).update(bytes).digest('hex')
const signed = (bytes: string | Uint8Array = body, timestamp: string | number = atSeconds): Record<string, string> => ({
  'x-service-signature-timestamp': String(timestamp),
  'x-service-signature-v1': sign(bytes, secret, timestamp),
})
/** Returns the error code, or the event on success. */
async function verdict(event: Promise<unknown>): Promise<unknown> {
  try {
    return await event
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code
    throw error
  }
}
const verified = (headers: Parameters<typeof verifyWebhook>[1], bytes: string | Uint8Array = body, options = {}) =>
  verdict(verifyWebhook(bytes, headers, secret, { nowMs, ...options }))

test('accepts a reference vector that was signed with openssl', async () => {
  const bytes = '{"object":"event"}'
  const headers = {
    'x-service-signature-timestamp': '1614265330',
    'x-service-signature-v1': '4c116bab8942617141a8a0484b57cf65fd50109426121097ce47cda494c094af',
  }
  const options = { nowMs: 1_614_265_330_000 }
  const event = await verifyWebhook(bytes, headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', options)
  expect(event).toEqual({ object: 'event' })
})

test.each(['whsec_', 'whsec_undefined', 'secret', `${secret} `, ` ${secret}`, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS'])(
  'throws a TypeError for the malformed secret %j',
  async wrong => {
    for (const secrets of [wrong, [secret, wrong]])
      await expect(verifyWebhook(body, signed(), secrets, { nowMs })).rejects.toThrow(TypeError)
  },
)

test('verifyWebhook accepts only secrets with the prefix that the contract has for webhook secrets', async () => {
  const key = 'A'.repeat(43)
  for (const prefix of Object.values(secretPrefixes)) {
    const verify = () => {
      const headers = { ...signed(), 'x-service-signature-v1': sign(body, `${prefix}${key}=`) }
      return verifyWebhook(body, headers, `${prefix}${key}=`, { nowMs })
    }
    if (prefix === secretPrefixes.webhookSecret) expect(await verify()).toMatchObject({ id: 'evt_1' })
    else await expect(verify()).rejects.toThrow(TypeError)
  }
})

test('returns the event for a body as text, Buffer or Uint8Array', async () => {
  const event = JSON.parse(body)
  for (const bytes of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
    expect(await verified(signed(), bytes)).toEqual(event)
  }
})

test('reads headers of Node and Fetch in any case', async () => {
  const event = JSON.parse(body)
  const capitals = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]))
  const lists = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name, [value]]))
  for (const headers of [signed(), new Headers(signed()), capitals, lists])
    expect(await verified(headers)).toEqual(event)
})

test('accepts the previous secret during a rotation', async () => {
  const rotated = { ...signed(), 'x-service-signature-v1': sign(body, otherSecret) }
  expect(await verified(rotated)).toBe('signature_mismatch')
  expect(await verified({ ...rotated, 'x-service-signature-v1-previous': sign(body) })).toEqual(JSON.parse(body))
  expect(await verified({ ...rotated, 'x-service-signature-v1-previous': sign(body, otherSecret) })).toBe(
    'signature_mismatch',
  )
  const current = { ...signed(), 'x-service-signature-v1-previous': sign(body, otherSecret) }
  expect(await verified(current)).toEqual(JSON.parse(body))
})

test('accepts a webhook if one of several secrets matches', async () => {
  const event = JSON.parse(body)
  for (const secrets of [[otherSecret, secret], [secret, otherSecret], [secret]])
    expect(await verifyWebhook(body, signed(), secrets, { nowMs })).toEqual(event)
  expect(await verdict(verifyWebhook(body, signed(), [otherSecret, otherSecret], { nowMs }))).toBe('signature_mismatch')
})

test('returns the event that was signed, even if the buffer of the body is overwritten meanwhile', async () => {
  const buffer = Buffer.from(body)
  const verifying = verifyWebhook(buffer, signed(), secret, { nowMs })
  buffer.fill(' ')
  expect(await verifying).toEqual(JSON.parse(body))
})

test('verifies a request of the Fetch API by its bytes', async () => {
  const request = (headers: Record<string, string>) =>
    new Request('https://shop.example/hooks', { method: 'POST', body, headers })
  expect(await verifyWebhookRequest(request(signed()), secret, { nowMs })).toEqual(JSON.parse(body))
  expect(await verdict(verifyWebhookRequest(request(signed('other')), secret, { nowMs }))).toBe('signature_mismatch')
})

test('needs nothing but web globals', async () => {
  const files = await readdir(import.meta.dirname)
  const sources = files.filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  for (const file of sources) {
    const text = await readFile(join(import.meta.dirname, file), 'utf8')
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name)
    expect([file, imports.filter(name => !name?.startsWith('./'))]).toEqual([file, []])
  }
})

test.each([
  ['no headers', {}],
  ['no timestamp', { 'x-service-signature-v1': sign(body) }],
  ['no signature', { 'x-service-signature-timestamp': String(atSeconds) }],
  [
    'the previous signature alone',
    {
      'x-service-signature-timestamp': String(atSeconds),
      'x-service-signature-v1-previous': sign(body),
    },
  ],
  ['two signatures', { ...signed(), 'x-service-signature-v1': [sign(body), sign(body, otherSecret)] }],
  ['one signature under two spellings', { ...signed(), 'X-Service-Signature-V1': sign(body) }],
  ['two timestamps', { ...signed(), 'x-service-signature-timestamp': [String(atSeconds), '1'] }],
])('rejects a webhook with %s', async (_what, headers) => {
  expect(await verified(headers)).toBe('header_missing')
})

test.each([
  [-300, true],
  [300, true],
  [0, true],
  [-301, false],
  [301, false],
])('accepts a webhook signed %d s from now within the default tolerance: %p', async (seconds, fine) => {
  const headers = signed(body, atSeconds + seconds)
  expect(await verified(headers)).toEqual(fine ? JSON.parse(body) : 'timestamp_out_of_tolerance')
})

test('uses the caller’s tolerance, including 0', async () => {
  expect(await verified(signed(body, atSeconds - 600), body, { toleranceSeconds: 600 })).toEqual(JSON.parse(body))
  expect(await verified(signed(), body, { toleranceSeconds: 0 })).toEqual(JSON.parse(body))
  expect(await verified(signed(body, atSeconds - 1), body, { toleranceSeconds: 0 })).toBe('timestamp_out_of_tolerance')
})

test.each([Number.NaN, -1, '300x' as never])('throws a RangeError for a tolerance of %p', async toleranceSeconds => {
  await expect(verified(signed(body, 1), body, { toleranceSeconds })).rejects.toThrow(RangeError)
})

test.each(['', 'now', '1e9', '-1', '+1767225600', ' 1767225600', '1767225600.0', '0x69559f80', '9'.repeat(40)])(
  'rejects the timestamp %p even if it is signed',
  async timestamp => {
    expect(await verified(signed(body, timestamp))).toBe('timestamp_invalid')
  },
)

test('covers the timestamp with the signature, so that an old webhook cannot be made fresh', async () => {
  const headers = { ...signed(body, atSeconds - 3_600), 'x-service-signature-timestamp': String(atSeconds) }
  expect(await verified(headers)).toBe('signature_mismatch')
})

test.each([
  ['in capitals', sign(body).toUpperCase()],
  ['in base64', Buffer.from(sign(body), 'hex').toString('base64')],
  ['cut short', sign(body).slice(0, -1)],
  ['with something behind', `${sign(body)}00`],
  ['in a list', `${sign(body)},${sign(body)}`],
  ['of nothing', ''],
  ['with a letter that is no hex', `${sign(body).slice(0, -1)}g`],
  ['made with another secret', sign(body, otherSecret)],
  ['made with the secret without its prefix', sign(body, secret.slice(6))],
])('rejects a signature %s', async (_what, signature) => {
  expect(await verified({ ...signed(), 'x-service-signature-v1': signature })).toBe('signature_mismatch')
})

test('rejects any changed byte of the body', async () => {
  const bytes = Buffer.from(body)
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
      const changed = Buffer.from(bytes)
      changed[place] = (changed[place] ?? 0) ^ change
      expect(await verified(signed(), changed)).toBe('signature_mismatch')
    }),
  )
})

test('rejects any changed bit of the signature', async () => {
  const right = Buffer.from(sign(body), 'hex')
  for (let bit = 0; bit < right.length * 8; bit++) {
    const wrong = Buffer.from(right)
    wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(await verified({ ...signed(), 'x-service-signature-v1': wrong.toString('hex') })).toBe('signature_mismatch')
  }
})

test.each(['', 'not JSON', 'null', '[]', '"event"', '{"object":"list"}'])(
  'rejects the signed body %p, which is not an event',
  async bytes => {
    expect(await verified(signed(bytes), bytes)).toBe('body_invalid')
  },
)

test('throws a TypeError for a parsed body, and for a secret that is unset or no text', async () => {
  await expect(verifyWebhook(JSON.parse(body), signed(), secret)).rejects.toThrow(TypeError)
  await expect(verifyWebhook(body, signed(), [])).rejects.toThrow(TypeError)
  for (const unset of ['', undefined, secret.slice(6)]) {
    const headers = { ...signed(), 'x-service-signature-v1': sign(body, unset ?? '') }
    await expect(verifyWebhook(body, headers, unset as string, { nowMs })).rejects.toThrow(TypeError)
  }
  const bytes = Buffer.from(secret) as unknown as string
  await expect(verifyWebhook(body, signed(), bytes, { nowMs })).rejects.toThrow(TypeError)
})

test.each<[string, ...Parameters<typeof verifyWebhook>]>([
  ['header_missing: expected one x-service-signature-timestamp and one x-service-signature-v1', body, {}, secret],
  ['timestamp_invalid: expected Unix seconds', body, signed(body, 'now'), secret],
  ['timestamp_out_of_tolerance: signed 301 s ago, 300 s are allowed', body, signed(body, atSeconds - 301), secret],
  ['signature_mismatch: no signature matches this secret and body', body, signed(''), secret],
  ['body_invalid: expected JSON', '{', signed('{'), secret],
  ['body_invalid: expected an event', '{}', signed('{}'), secret],
  ['verifyWebhook needs the raw body as bytes or text, not the parsed body.', JSON.parse(body), signed(), secret],
  ['verifyWebhook needs the whole signing secret of the endpoint, including whsec_.', body, signed(), ''],
  ['toleranceSeconds must be a number of at least 0.', body, signed(), secret, { toleranceSeconds: -1 }],
])('verifyWebhook throws an error with the message %j', async (message, bytes, headers, key, options) => {
  await expect(verifyWebhook(bytes, headers, key, { nowMs, ...options })).rejects.toThrow(new Error(message))
})

test('never puts the secret or the expected signature into an error message', async () => {
  for (const headers of [{}, { ...signed(), 'x-service-signature-v1': 'x' }, signed(body, 1)]) {
    try {
      await verifyWebhook(body, headers, secret, { nowMs })
    } catch (error) {
      expect(String(error)).not.toContain(secret.slice(6))
      expect(String(error)).not.toContain(sign(body))
    }
  }
  expect.assertions(6)
})
