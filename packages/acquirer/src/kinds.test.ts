import { refundFailures } from './acquirer.ts'
import { voucherBody } from './acquirer-wire.ts'
import { chargeOutcome, issuedOutcome, refundOutcome, vouchers } from './kinds.ts'

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

test('a charge that is declined for a technical reason has failed', () => {
  const declined = { ...charge, status: 'declined' as const }
  expect(chargeOutcome({ ...declined, response_code: '96' })).toMatchObject({ status: 'failed', decline_reason: null })
  expect(chargeOutcome({ ...declined, response_code: '51' })).toMatchObject({
    status: 'declined',
    decline_reason: 'insufficient_funds',
  })
})

test.each([...refundFailures, 'who knows', null])('the failure %p is told of a refund that failed alone', code => {
  const told = { key: 'k', reference: 'r', failure_code: code }
  const reason = refundFailures.includes(code as never) ? code : null
  expect(refundOutcome({ ...told, status: 'failed' })).toEqual({
    status: 'failed',
    acquirer_reference: 'r',
    failure_reason: reason,
  })
  for (const status of ['processing', 'completed'] as const) {
    expect(refundOutcome({ ...told, status })).toMatchObject({ status, failure_reason: null })
  }
})

test('a voucher is told without its key, and one that was not issued by its status alone', () => {
  const { key: _key, ...voucher } = issued
  expect(issuedOutcome(issued)).toEqual(voucher)
  expect(vouchers.outcomeOf(issued)).toEqual(voucher)
  expect(vouchers.outcomeOf({ key: 'k', status: 'failed' })).toEqual({ status: 'failed' })
})

test('a voucher is due at a moment, which goes over the wire as ISO 8601', () => {
  const body = { amount_cents: 100, currency: 'MXN', due_at: new Date('2026-11-24T05:59:00Z') }
  expect(voucherBody.parse(JSON.parse(JSON.stringify(body)))).toEqual(body)
})
