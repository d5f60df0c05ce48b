import { createHmac } from 'node:crypto'
import { signingKeys } from './signing-keys.ts'
import { signatureHeaders } from './webhook-signature.ts'

interface Signed extends Omit<Parameters<typeof signatureHeaders>[0], 'keys' | 'previousKeys'> {
  secret: string
  previousSecret: string | null
}

const headersOf = ({ secret, previousSecret, ...signed }: Signed) =>
  signatureHeaders({
    ...signed,
    keys: signingKeys(secret),
    previousKeys: previousSecret === null ? null : signingKeys(previousSecret),
  })

// The reference vector published by Standard Webhooks.
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  previousSecret: null,
  timestampSeconds: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
}

test('a webhook is signed as in the reference vector of Standard Webhooks', () => {
  expect(headersOf(vector)).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('a webhook signature is the HMAC of timestamp and body under the whole secret, as computed by openssl', () => {
  expect(headersOf(vector)).toMatchObject({
    'X-Service-Signature-Timestamp': '1614265330',
    'X-Service-Signature-V1': '2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964',
  })
})

test('a body that is not valid UTF-8 is signed byte for byte', () => {
  const body = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])
  const expected = createHmac('sha256', vector.secret)
    .update(Buffer.concat([Buffer.from('1614265330.'), body]))
    .digest('hex')
  expect(headersOf({ ...vector, body })['X-Service-Signature-V1']).toBe(expected)
})

test.each([
  ['a changed byte', { body: Buffer.from('{"test": 2432232315}') }],
  ['another time', { timestampSeconds: 1_614_265_331 }],
  ['another secret', { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx' }],
])('%s changes both webhook signatures', (_case, change) => {
  const before = headersOf(vector)
  const after = headersOf({ ...vector, ...change })
  for (const name of ['X-Service-Signature-V1', 'webhook-signature']) expect(after[name]).not.toBe(before[name])
})

test('after a rotation a webhook also has the signatures under the previous secret', () => {
  const previousSecret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const [current, previous] = [vector.secret, previousSecret].map(secret => headersOf({ ...vector, secret }))
  expect(headersOf({ ...vector, previousSecret })).toEqual({
    ...current,
    'X-Service-Signature-V1-Previous': previous?.['X-Service-Signature-V1'],
    'webhook-signature': `${current?.['webhook-signature']} ${previous?.['webhook-signature']}`,
  })
  expect(current).not.toHaveProperty('X-Service-Signature-V1-Previous')
})
