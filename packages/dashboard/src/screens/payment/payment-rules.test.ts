import { transactionStatuses } from '@cobro/contracts'
import {
  deliveriesEveryMs,
  isCaptured,
  isRefundable,
  refreshEveryMs,
  refundObstacle,
  sentenceOf,
} from './payment-rules.ts'

type Payment = Parameters<typeof isRefundable>[0]

const payment = (fields: Partial<Payment>): Payment => ({
  ...{ status: 'approved', decline_reason: null, payment_method: 'card', refund_status: null, manual_refund: false },
  ...fields,
})

test.each<[Partial<Payment>, boolean]>([
  [{}, true],
  [{ refund_status: 'failed' }, true],
  [{ refund_status: 'processing' }, false],
  [{ status: 'refunded', refund_status: 'completed' }, false],
  [{ status: 'declined' }, false],
  [{ status: 'chargeback' }, false],
  [{ payment_method: 'cash' }, false],
])('whether %j can be refunded is %s', (fields, expected) => {
  expect(isRefundable(payment(fields))).toBe(expected)
})

test.each<[Partial<Payment>, ReturnType<typeof refundObstacle>]>([
  [{}, undefined],
  [{ refund_status: 'failed' }, undefined],
  [{ refund_status: 'processing' }, 'processing'],
  [{ status: 'refunded', refund_status: 'completed' }, 'refunded'],
  [{ status: 'chargeback' }, 'chargeback'],
  [{ status: 'chargeback', refund_status: 'failed' }, 'chargeback'],
  [{ status: 'chargeback', refund_status: 'completed' }, 'refunded'],
  [{ payment_method: 'cash' }, 'cash'],
  [{ payment_method: 'cash', refund_status: 'processing', manual_refund: true }, 'processing'],
])('the obstacle to a refund of %j is %s', (fields, expected) => {
  expect(refundObstacle(payment(fields))).toBe(expected)
})

test('a payment was captured if it took money, also where it was given back', () => {
  const captured = transactionStatuses.filter(status => isCaptured(payment({ status })))
  expect(captured).toEqual(['approved', 'refunded', 'chargeback'])
})

test.each<[Partial<Payment>, boolean]>([
  [{ status: 'pending' }, true],
  [{ refund_status: 'processing' }, true],
  [{}, false],
  [{ status: 'declined' }, false],
])('whether %j is read again is %s', (fields, expected) => {
  expect(refreshEveryMs(payment(fields)) !== false).toBe(expected)
})

test('a payment whose refund a person transfers is read less often', () => {
  expect(refreshEveryMs(payment({ refund_status: 'processing', manual_refund: true }))).toBe(60_000)
})

test.each([
  ['pending', 0, 9, true],
  ['delivering', 2, 9, true],
  // It waits for its next attempt, which may be hours away.
  ['pending', 1, 9, false],
  ['succeeded', 1, 9, false],
  ['succeeded', 1, 1, true],
] as const)(
  'whether deliveries are read again: %s after %i attempts and %i reads is %s',
  (status, attempt_count, reads, expected) => {
    expect(deliveriesEveryMs([{ status, attempt_count }], reads) !== false).toBe(expected)
  },
)

test('the sentence of a payment names why it was declined, and what becomes of its refund', () => {
  const texts = {
    sentences: { approved: 'Captured.', declined: 'Declined:', refunded: 'Returned.', chargeback: 'Disputed.' },
    reasons: { insufficient_funds: 'no funds.', card_declined: 'no reason.' },
    refundSentences: { processing: 'Refunding.', completed: 'Refunded.', failed: 'Not refunded.', manual: 'By hand.' },
    refundAgain: 'Ask again.',
  } as unknown as Parameters<typeof sentenceOf>[1]
  const of = (fields: Partial<Payment>) => sentenceOf(payment(fields), texts)
  expect(of({ status: 'declined', decline_reason: 'insufficient_funds' })).toBe('Declined: no funds.')
  expect(of({ status: 'declined' })).toBe('Declined: no reason.')
  expect(of({ refund_status: 'processing' })).toBe('Captured. Refunding.')
  expect(of({ refund_status: 'processing', manual_refund: true })).toBe('Captured. By hand.')
  expect(of({ refund_status: 'failed' })).toBe('Captured. Not refunded. Ask again.')
  expect(of({ status: 'chargeback', refund_status: 'failed' })).toBe('Disputed. Not refunded.')
  expect(of({ status: 'refunded', refund_status: 'completed' })).toBe('Returned.')
})
