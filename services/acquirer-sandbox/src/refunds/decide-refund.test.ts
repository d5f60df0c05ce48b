import { judgeRefund, type RefundablePayment, tellRefund } from './judge-refund.ts'

const payment: RefundablePayment = {
  amount_cents: 1_000,
  currency: 'MXN',
  paid: true,
  disputed: false,
  refunded_cents: 0,
  unrefundable: false,
}
const whole = { amount_cents: 1_000, currency: 'MXN' }

test('a refund of what is there is completed after a while', () => {
  expect(judgeRefund(payment, whole)).toEqual({ status: 'completed', failure_code: null, late: true })
  expect(judgeRefund({ ...payment, refunded_cents: 400 }, { ...whole, amount_cents: 600 }).status).toBe('completed')
})

test.each<[string, Partial<RefundablePayment> | undefined, object, string, boolean]>([
  ['no payment', undefined, {}, 'not_refundable', false],
  ['one that never came in', { paid: false }, {}, 'not_refundable', false],
  ['a disputed one', { disputed: true }, {}, 'not_refundable', false],
  ['one in another currency', {}, { currency: 'USD' }, 'not_refundable', false],
  ['a smaller one', {}, { amount_cents: 1_001 }, 'not_refundable', false],
  ['one that has gone back', { refunded_cents: 1_000 }, {}, 'already_refunded', false],
  ['one that has gone back but for a part', { refunded_cents: 1 }, {}, 'already_refunded', false],
  ['one whose issuer takes nothing back', { unrefundable: true }, {}, 'refused', true],
])('a refund of %s fails', (_what, change, request, failure_code, late) => {
  const judged = judgeRefund(change && { ...payment, ...change }, { ...whole, ...request })
  expect(judged).toEqual({ status: 'failed', failure_code, late })
})

describe('what is told of a key', () => {
  const refund = {
    ...{ key: 'k', reference: 'r', charge_key: 'c', voucher_key: null, amount_cents: 1_000, currency: 'MXN' },
    ...{
      status: 'failed' as const,
      failure_code: 'refused' as const,
      settles_at: new Date(1_000),
      created_at: new Date(0),
    },
  }

  test('nothing of the outcome before it settles, all of it from then on', () => {
    const told = { key: 'k', reference: 'r' }
    expect(tellRefund(refund, new Date(999))).toEqual({ ...told, status: 'processing', failure_code: null })
    expect(tellRefund(refund, new Date(1_000))).toEqual({ ...told, status: 'failed', failure_code: 'refused' })
  })

  test('a reversed one has failed', () => {
    expect(tellRefund({ ...refund, status: 'reversed' }, new Date(0))).toMatchObject({
      status: 'failed',
      failure_code: null,
    })
  })
})
