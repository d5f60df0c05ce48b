import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { AcquirerUnavailable, UnreadableNotification } from '../src/index.ts'
import { closeServers, respondingWith, type ScriptedResponse } from './scripted-server.ts'

const key = 'rfd_01jd0000000000000000000000'
const due_at = '2026-11-24T05:59:00.000Z'
const money = { amount_cents: 25_000, currency: 'MXN' }
const refund = { key, status: 'processing', reference: 'ref_1', failure_code: null }
const voucher = { key, reference: '93000000000001', barcode: '9300', ...money, due_at, paid_at: null }
const declinedCharge = { key, status: 'declined', reference: 'r', response_code: '51', risk_score: null }
const dispute = {
  ...{ reference: 'd1', status: 'open', charge_key: 'pi_1:1', ...money, reason: 'fraudulent' },
  ...{ network_reason_code: null, due_by: null, opened_at: due_at, resolved_at: null },
}

afterEach(closeServers)

type Signer = Awaited<ReturnType<typeof signingKey>>

async function signingKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' } }
}

/** Returns the body and headers of a signed notification. */
async function signedNotification({ kid, privateKey }: Signer, type: string, data: unknown) {
  const body = Buffer.from(JSON.stringify({ id: 'n1', type, created_at: due_at, data }))
  const header = { alg: 'EdDSA', kid, iat: Math.floor(Date.now() / 1000) }
  const jws = await new CompactSign(body).setProtectedHeader(header).sign(privateKey)
  return [body, { 'acquirer-signature': jws.replace(/\..*\./, '..') }] as const
}

test.each<[string, unknown, object]>([
  [
    'charge.settled',
    declinedCharge,
    { of: 'charge', key, outcome: { status: 'declined', decline_reason: 'insufficient_funds' } },
  ],
  ['refund.completed', { ...refund, status: 'completed' }, { of: 'refund', key, outcome: { status: 'completed' } }],
  ['refund.failed', { ...refund, status: 'failed' }, { of: 'refund', key, outcome: { status: 'failed' } }],
  [
    'voucher.paid',
    { ...voucher, status: 'paid', paid_at: due_at },
    { of: 'voucher', key, outcome: { status: 'paid' } },
  ],
  ['voucher.expired', { ...voucher, status: 'expired' }, { of: 'voucher', key, outcome: { status: 'expired' } }],
  ['dispute.opened', dispute, { of: 'dispute', dispute: { status: 'open', charge_key: 'pi_1:1' } }],
  ['dispute.won', { ...dispute, status: 'won', resolved_at: due_at }, { of: 'dispute', dispute: { status: 'won' } }],
  ['dispute.lost', { ...dispute, status: 'lost', resolved_at: due_at }, { of: 'dispute', dispute: { status: 'lost' } }],
  ['payout.sent', {}, { of: 'unknown', type: 'payout.sent' }],
])('translates a signed %s notification and fetches the keys once', async (type, data, expected) => {
  const signer = await signingKey('k1')
  const { acquirer, requests } = await respondingWith([200, { keys: [{ kty: 'odd' }, signer.jwk] }])
  const notification = { id: 'n1', created_at: new Date(due_at), ...expected }
  expect(await acquirer.readNotification(...(await signedNotification(signer, type, data)))).toMatchObject(notification)
  expect(await acquirer.readNotification(...(await signedNotification(signer, type, data)))).toMatchObject(notification)
  expect(requests.map(({ line }) => line)).toEqual(['GET /v1/notification-keys'])
})

test('accepts a new signing key as soon as it is published, and does not refetch the keys for made-up key ids', async () => {
  const [old, next, stranger] = [await signingKey('k1'), await signingKey('k2'), await signingKey('k3')]
  const { acquirer, requests } = await respondingWith([200, { keys: [old.jwk] }], [200, { keys: [next.jwk, old.jwk] }])
  const data = { ...refund, status: 'completed' }
  const read = async (by: Signer) =>
    acquirer.readNotification(...(await signedNotification(by, 'refund.completed', data)))
  expect(await read(old)).toMatchObject({ id: 'n1' })
  expect(await read(next)).toMatchObject({ id: 'n1' })
  for (let i = 0; i < 20; i++) expect(await read(stranger)).toBeUndefined()
  expect(requests).toHaveLength(2)
})

test('rejects notifications without a well-formed signature and sends no request', async () => {
  const { acquirer, requests } = await respondingWith('cut')
  for (const headers of [{}, { 'acquirer-signature': 'hello' }, { 'acquirer-signature': ['a..b', 'a..b'] }]) {
    expect(await acquirer.readNotification(Buffer.from('{}'), headers)).toBeUndefined()
  }
  expect(requests).toHaveLength(0)
})

test.each<[string, ScriptedResponse]>([
  ['is unreachable', 'cut'],
  ['publishes no keys', [200, {}]],
  ['responds with 500', [500, { keys: [] }]],
])('throws AcquirerUnavailable for a signed notification while the acquirer %s', async (_what, response) => {
  const signer = await signingKey('k1')
  const { acquirer } = await respondingWith(response)
  const signed = await signedNotification(signer, 'refund.completed', { ...refund, status: 'completed' })
  await expect(acquirer.readNotification(...signed)).rejects.toBeInstanceOf(AcquirerUnavailable)
})

test('throws UnreadableNotification for a signed body that does not match its type', async () => {
  const signer = await signingKey('k1')
  const { acquirer } = await respondingWith([200, { keys: [signer.jwk] }])
  const signed = await signedNotification(signer, 'voucher.paid', refund)
  await expect(acquirer.readNotification(...signed)).rejects.toBeInstanceOf(UnreadableNotification)
})
