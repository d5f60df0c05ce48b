import { cardOutcome } from './card-outcome.ts'

type Card = Parameters<typeof cardOutcome>[0]
type Texts = Parameters<typeof cardOutcome>[1]
type Reasons = Parameters<typeof cardOutcome>[2]

const texts = {
  outcomes: { approved: 'Approved.', declined: 'Declined:' },
  answers: { slow: 'Slow.' },
  ...{ disputed: 'Disputed.', notRefundable: 'No refund.' },
} as Texts
const reasons = { insufficient_funds: 'no funds.', card_declined: 'no reason.' } as Reasons

test.each<[Partial<Card>, string]>([
  [{}, 'Approved.'],
  [{ status: 'declined', decline_reason: 'insufficient_funds' }, 'Declined: no funds.'],
  [{ status: 'declined' }, 'Declined: no reason.'],
  [{ answer: 'slow', disputed: true }, 'Approved. Slow. Disputed.'],
  [{ refundable: false }, 'Approved. No refund.'],
])('%j says %j', (fields, expected) => {
  const card: Card = { status: 'approved', decline_reason: null, answer: 'prompt', disputed: false, refundable: true }
  expect(cardOutcome({ ...card, ...fields }, texts, reasons)).toBe(expected)
})
