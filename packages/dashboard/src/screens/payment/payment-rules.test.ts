import { isRefundable, isShown, refreshEveryMs, sentenceOf } from './payment-rules.ts'

type Payment = Parameters<typeof isRefundable>[0]

const payment = (fields: Partial<Payment>): Payment => ({
  ...{ status: 'approved', decline_reason: null, refund_status: null },
  ...fields,
})

test.each<[Partial<Payment>, boolean]>([
  [{}, true],
  [{ refund_status: 'failed' }, true],
  [{ refund_status: 'processing' }, false],
  [{ status: 'refunded', refund_status: 'completed' }, false],
  [{ status: 'declined' }, false],
  [{ status: 'chargeback' }, false],
])('whether %j can be refunded is %s', (fields, expected) => {
  expect(isRefundable(payment(fields))).toBe(expected)
})

test.each<[Partial<Payment>, boolean]>([
  [{ status: 'pending' }, true],
  [{ refund_status: 'processing' }, true],
  [{}, false],
  [{ status: 'declined' }, false],
])('whether %j is read again is %s', (fields, expected) => {
  expect(refreshEveryMs(payment(fields)) !== false).toBe(expected)
})

test('the timeline shows events and calls that change something, and no reads', () => {
  expect(isShown({ action: 'payment.approved', method: null })).toBe(true)
  expect(isShown({ action: 'http.request', method: 'POST' })).toBe(true)
  expect(isShown({ action: 'http.request', method: 'GET' })).toBe(false)
})

test('the sentence of a payment names why it was declined, and what becomes of its refund', () => {
  const texts = {
    sentences: { approved: 'Captured.', declined: 'Declined:', refunded: 'Returned.' },
    reasons: { insufficient_funds: 'no funds.', card_declined: 'no reason.' },
    refundSentences: { processing: 'Refunding.', completed: 'Refunded.' },
  } as unknown as Parameters<typeof sentenceOf>[1]
  const of = (fields: Partial<Payment>) => sentenceOf(payment(fields), texts)
  expect(of({ status: 'declined', decline_reason: 'insufficient_funds' })).toBe('Declined: no funds.')
  expect(of({ status: 'declined' })).toBe('Declined: no reason.')
  expect(of({ refund_status: 'processing' })).toBe('Captured. Refunding.')
  expect(of({ status: 'refunded', refund_status: 'completed' })).toBe('Returned.')
})
