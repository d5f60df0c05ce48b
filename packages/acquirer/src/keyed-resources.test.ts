import { refundFailures } from './acquirer-outcomes.ts'
import { voucherBody } from './acquirer-wire.ts'
import {
  chargeOutcome,
  chargeResource,
  refundOutcome,
  refundResource,
  voucherOf,
  voucherResource,
} from './keyed-resources.ts'

const charge = { key: 'k', reference: 'r', response_code: '00', risk_score: 3 }
const issued = {
  key: 'k',
  status: 'paid' as const,
  reference: '93000000000001',
  barcode: '1',
  amount_cents: 100,
  currency: 'MXN',
  due_at: new Date(0),
  paid_at: new Date(1),
}

const taken = { acquirer_reference: 'r', risk_score: 3 }

test.each(['approved', 'failed', 'processing'] as const)('translates a charge that is %s without a reason', status => {
  expect(chargeOutcome({ ...charge, status, response_code: '51' })).toEqual({ ...taken, status, decline_reason: null })
})

test('counts a decline for a technical reason as a failed charge', () => {
  const declined = { ...charge, status: 'declined' as const }
  expect(chargeOutcome({ ...declined, response_code: '96' })).toEqual({
    ...taken,
    status: 'failed',
    decline_reason: null,
  })
  expect(chargeOutcome({ ...declined, response_code: '51' })).toEqual({
    ...taken,
    status: 'declined',
    decline_reason: 'insufficient_funds',
  })
})

test.each<[string | null, string | null]>([
  ...refundFailures.map(code => [code, code] as [string, string]),
  ['unknown_code', null],
  [null, null],
])('translates the failure code %p of a refund into %p, and only if the refund failed', (failure_code, reason) => {
  const response = { key: 'k', reference: 'r', failure_code }
  expect(refundOutcome({ ...response, status: 'failed' })).toEqual({
    status: 'failed',
    acquirer_reference: 'r',
    failure_reason: reason,
  })
  for (const status of ['processing', 'completed'] as const) {
    expect(refundOutcome({ ...response, status })).toMatchObject({ status, failure_reason: null })
  }
})

test('translates a voucher without its key, and a failed voucher by its status alone', () => {
  const { key: _key, ...voucher } = issued
  expect(voucherOf(issued)).toEqual(voucher)
  expect(voucherResource.outcomeOf(issued)).toEqual(voucher)
  expect(voucherResource.outcomeOf({ key: 'k', status: 'failed' })).toEqual({ status: 'failed' })
})

test('sends the due date of a voucher as an ISO 8601 time', () => {
  const body = { amount_cents: 100, currency: 'MXN', due_at: new Date('2026-11-24T05:59:00Z') }
  expect(voucherBody.parse(JSON.parse(JSON.stringify(body)))).toEqual(body)
})

test.each([
  [chargeResource, 'charges', 'reverse', { acquirer_reference: null }],
  [refundResource, 'refunds', 'reverse', { acquirer_reference: null }],
  [voucherResource, 'vouchers', 'withdraw', {}],
])(
  'a lost response leaves the object processing, and a rejected request fails it: %#',
  (resource, path, endedBy, rest) => {
    expect(resource).toMatchObject({ path, endedBy })
    expect(resource.unknown).toEqual({ status: 'processing', ...rest })
    expect(resource.notTaken).toEqual({ status: 'failed', ...rest })
  },
)
