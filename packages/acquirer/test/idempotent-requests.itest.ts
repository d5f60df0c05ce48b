import { closeServers, respondingWith, type ScriptedResponse } from './scripted-server.ts'

const key = 'rfd_01jd0000000000000000000000'
const due_at = '2026-11-24T05:59:00.000Z'
const refund = { key, status: 'processing', reference: 'ref_1', failure_code: null }
const voucher = {
  ...{ key, status: 'pending', reference: '93000000000001', barcode: '9300', amount_cents: 25_000, currency: 'MXN' },
  ...{ due_at, paid_at: null },
}
const money = { amount_cents: 25_000, currency: 'MXN' }

afterEach(closeServers)

const unclear: [string, ScriptedResponse][] = [
  ['cut connection', 'cut'],
  ['response without JSON', [200, 'x']],
  ['response with another key', [200, { ...refund, ...voucher, key: 'another' }]],
  ['response with an unknown status', [200, { ...refund, ...voucher, status: 'great' }]],
  ['response with half the fields', [200, { key, status: 'pending', reference: '1' }]],
  ['response with 400', [400, {}]],
  ['response with 404', [404, {}]],
  ['response with 422', [422, {}]],
  ['response with 500', [500, { ...refund, ...voucher }]],
  ['response with 503', [503, {}]],
]

test.each(unclear)('queries a refund after a %s, and never reports it as failed', async (_what, response) => {
  const { acquirer, requests } = await respondingWith(response, [200, { ...refund, status: 'completed' }])
  expect(await acquirer.refund({ key, charge_key: 'pi_1:1', ...money })).toMatchObject({ status: 'completed' })
  expect(requests.map(({ line }) => line)).toEqual(['POST /v1/refunds', `GET /v1/refunds/${key}`])
  const { acquirer: forgetful } = await respondingWith(response, [200, { key, status: 'not_found' }])
  expect(await forgetful.refund({ key, charge_key: 'pi_1:1', ...money })).toEqual({ status: 'not_found' })
  const { acquirer: lost } = await respondingWith(response)
  for (const call of [lost.findRefund, lost.reverseRefund]) {
    expect(await call(key)).toEqual({ status: 'processing', acquirer_reference: null })
  }
})

test.each(unclear)('queries a voucher after a %s, and never reports it as failed', async (_what, response) => {
  const request = { key, ...money, due_at: new Date(due_at) }
  const { acquirer, requests } = await respondingWith(response, [200, voucher])
  expect(await acquirer.issueVoucher(request)).toMatchObject({ status: 'pending', reference: voucher.reference })
  expect(requests.map(({ line }) => line)).toEqual(['POST /v1/vouchers', `GET /v1/vouchers/${key}`])
  const { acquirer: forgetful } = await respondingWith(response, [200, { key, status: 'not_found' }])
  expect(await forgetful.issueVoucher(request)).toEqual({ status: 'not_found' })
  const { acquirer: lost } = await respondingWith(response)
  for (const call of [lost.findVoucher, lost.withdrawVoucher]) expect(await call(key)).toEqual({ status: 'processing' })
})

test.each([401, 403, 429])('fails refunds and vouchers that the acquirer rejects with %i', async status => {
  const { acquirer, requests } = await respondingWith([status, {}])
  expect(await acquirer.refund({ key, voucher_key: 'pi_1:1', ...money })).toEqual({
    status: 'failed',
    acquirer_reference: null,
  })
  expect(await acquirer.issueVoucher({ key, ...money, due_at: new Date(due_at) })).toEqual({ status: 'failed' })
  expect(requests).toHaveLength(2)
})

test('sends the key of a refund or voucher as a header and the other fields as the body', async () => {
  const { acquirer, requests } = await respondingWith([200, refund], [200, voucher])
  await acquirer.refund({ key, charge_key: 'pi_1:1', ...money })
  await acquirer.issueVoucher({ key, ...money, due_at: new Date(due_at), concept: 'Pedido 1042' })
  expect(requests.map(one => [one.key, JSON.parse(one.body)])).toEqual([
    [key, { charge_key: 'pi_1:1', ...money }],
    [key, { ...money, due_at, concept: 'Pedido 1042' }],
  ])
})

test('escapes idempotency keys in the paths of requests to the acquirer', async () => {
  const { acquirer, requests } = await respondingWith([200, refund])
  await acquirer.findRefund('a/b?c')
  await acquirer.reverseRefund('a/b?c')
  await acquirer.withdrawVoucher('a/b?c')
  expect(requests.map(({ line }) => line)).toEqual([
    'GET /v1/refunds/a%2Fb%3Fc',
    'POST /v1/refunds/a%2Fb%3Fc/reverse',
    'POST /v1/vouchers/a%2Fb%3Fc/withdraw',
  ])
})

test.each([
  [
    { ...refund, status: 'failed', failure_code: 'already_refunded' },
    { status: 'failed', failure_reason: 'already_refunded' },
  ],
  [
    { ...refund, status: 'failed', failure_code: 'E-77' },
    { status: 'failed', failure_reason: null },
  ],
  [refund, { status: 'processing', acquirer_reference: 'ref_1' }],
  [{ key, status: 'reversed' }, { status: 'reversed' }],
])('translates the response %j to a reversed refund into %j', async (response, expected) => {
  const { acquirer } = await respondingWith([200, response])
  expect(await acquirer.reverseRefund(key)).toMatchObject(expected)
})

test.each([
  [voucher, { status: 'pending', due_at: new Date(due_at), paid_at: null }],
  [
    { ...voucher, status: 'paid', paid_at: due_at },
    { status: 'paid', paid_at: new Date(due_at) },
  ],
  [{ key, status: 'failed' }, { status: 'failed' }],
  [{ key, status: 'processing' }, { status: 'processing' }],
  [{ key, status: 'reversed' }, { status: 'reversed' }],
])('translates the response %j to a withdrawn voucher into %j', async (response, expected) => {
  const { acquirer } = await respondingWith([200, response])
  expect(await acquirer.withdrawVoucher(key)).toMatchObject(expected)
})
