import { hostedApi, type PayAnswer } from './hosted-api.ts'

const address = '/hosted/v1/checkout/cs_1'
const voucher = { reference: '93000012345678', barcode: '93000012345678', due_at: '2026-06-19T05:59:00.000Z' }
const body = { method: 'card', card_jwe: 'a.b.c.d.e', amount_cents: 25000 } as const

function answering(status: number, answer: unknown) {
  const calls: { url: string; init: RequestInit }[] = []
  const fetch = async (url: unknown, init?: RequestInit) => {
    calls.push({ url: String(url), init: init ?? {} })
    return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { status })
  }
  return { api: hostedApi({ fetch }, address), calls }
}

test.each<[number, unknown, PayAnswer]>([
  [
    200,
    { status: 'approved', redirect_url: 'https://a.example' },
    { kind: 'approved', redirectUrl: 'https://a.example' },
  ],
  [202, { status: 'pending' }, { kind: 'pending' }],
  [202, { status: 'pending', voucher }, { kind: 'pending', voucher }],
  [402, { error: 'expired_card', declined: true }, { kind: 'declined', reason: 'expired_card' }],
  [402, { error: 'call_issuer: code 01', declined: true }, { kind: 'declined', reason: 'call_issuer' }],
  [502, { error: 'processing_error' }, { kind: 'failed' }],
  [502, '<html>Bad Gateway</html>', { kind: 'unclear' }],
  [409, { error: 'conflict' }, { kind: 'refused', status: 409 }],
  [429, { error: 'rate_limited' }, { kind: 'refused', status: 429 }],
  [503, { error: 'unavailable' }, { kind: 'refused', status: 503 }],
  [504, { error: 'timeout' }, { kind: 'unclear' }],
  [500, { error: 'internal_error' }, { kind: 'unclear' }],
  [200, 'not json', { kind: 'unclear' }],
])('reads a payment answered %s %j', async (status, answer, expected) => {
  expect(await answering(status, answer).api.pay(body, 'key')).toEqual(expected)
})

test('sends a payment as JSON with the idempotency key of its click', async () => {
  const { api, calls } = answering(202, {})
  await api.pay(body, 'key-1')
  const [call] = calls
  expect(call?.url).toBe(`${address}/payments`)
  expect(call?.init).toMatchObject({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'key-1' },
    body: JSON.stringify(body),
  })
})

test('treats a lost connection as an unclear payment and an unavailable read', async () => {
  const fetch = () => Promise.reject(new TypeError('network'))
  const api = hostedApi({ fetch }, address)
  expect(await api.pay(body, 'key')).toEqual({ kind: 'unclear' })
  expect(await api.read()).toEqual({ kind: 'unavailable' })
})

test('distinguishes a session that does not exist from one that cannot be read', async () => {
  expect(await answering(404, { error: 'not_found' }).api.read()).toEqual({ kind: 'not_found' })
  expect(await answering(503, { error: 'unavailable' }).api.read()).toEqual({ kind: 'unavailable' })
  expect(await answering(200, { data: { id: 'cs_1' } }).api.read()).toEqual({
    kind: 'session',
    session: { id: 'cs_1' },
  })
})
