import { decideRefund, type RefundablePayment, refundResponseAt } from './decide-refund.ts'

const payment: RefundablePayment = {
  amount_cents: 1_000,
  currency: 'MXN',
  paid: true,
  disputed: false,
  refunded_cents: 0,
  unrefundable: false,
}
const whole = { amount_cents: 1_000, currency: 'MXN' }

test('a refund of a paid amount completes later', () => {
  expect(decideRefund(payment, whole)).toEqual({ status: 'completed', failure_code: null, late: true })
  expect(decideRefund({ ...payment, refunded_cents: 400 }, { ...whole, amount_cents: 600 }).status).toBe('completed')
})

test.each<[string, Partial<RefundablePayment> | undefined, object, string, boolean]>([
  ['no payment', undefined, {}, 'not_refundable', false],
  ['an unpaid payment', { paid: false }, {}, 'not_refundable', false],
  ['a disputed payment', { disputed: true }, {}, 'not_refundable', false],
  ['a payment in another currency', {}, { currency: 'USD' }, 'not_refundable', false],
  ['a smaller payment', {}, { amount_cents: 1_001 }, 'not_refundable', false],
  ['a refunded payment', { refunded_cents: 1_000 }, {}, 'already_refunded', false],
  ['a partly refunded payment', { refunded_cents: 1 }, {}, 'already_refunded', false],
  ['a payment whose issuer refuses refunds', { unrefundable: true }, {}, 'refused', true],
])('a refund of %s fails', (_what, change, request, failure_code, late) => {
  const decision = decideRefund(change && { ...payment, ...change }, { ...whole, ...request })
  expect(decision).toEqual({ status: 'failed', failure_code, late })
})

describe('refundResponseAt', () => {
  const refund = {
    ...{ key: 'k', reference: 'r', charge_key: 'c', voucher_key: null, amount_cents: 1_000, currency: 'MXN' },
    ...{
      status: 'failed' as const,
      failure_code: 'refused' as const,
      settles_at: new Date(1_000),
      created_at: new Date(0),
    },
  }

  test('a refund is processing before its outcome is due, and has its outcome from then on', () => {
    const fields = { key: 'k', reference: 'r' }
    expect(refundResponseAt(refund, new Date(999))).toEqual({ ...fields, status: 'processing', failure_code: null })
    expect(refundResponseAt(refund, new Date(1_000))).toEqual({ ...fields, status: 'failed', failure_code: 'refused' })
  })

  test('a reversed refund has failed', () => {
    expect(refundResponseAt({ ...refund, status: 'reversed' }, new Date(0))).toMatchObject({
      status: 'failed',
      failure_code: null,
    })
  })
})
