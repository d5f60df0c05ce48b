import { declineReasonOf } from '@cobro/acquirer'
import { type Behaviour, courses } from '../tokens/card-behaviours.ts'
import { judgeCharge, tellCharge } from './judge-charge.ts'

const now = new Date('2026-03-31T23:00:00Z')
const good = { exp_month: 3, exp_year: 2026 }

test.each<[Behaviour, string, string | undefined]>([
  ['approved', 'approved', undefined],
  ['declined', 'declined', 'card_declined'],
  ['insufficient_funds', 'declined', 'insufficient_funds'],
  ['expired', 'declined', 'expired_card'],
  ['incorrect_number', 'declined', 'incorrect_number'],
  ['incorrect_cvc', 'declined', 'incorrect_cvc'],
  ['unsupported', 'declined', 'card_not_supported'],
  ['suspected_fraud', 'declined', 'suspected_fraud'],
  ['processing_error', 'failed', 'technical'],
  ['slow', 'approved', undefined],
  ['cut', 'approved', undefined],
  ['disputed', 'approved', undefined],
  ['unrefundable', 'approved', undefined],
])('a card that is %s ends %s (%s)', (behaviour, status, reason) => {
  const course = judgeCharge({ ...good, behaviour }, now)
  expect(course.status).toBe(status)
  expect(course.status === 'approved' ? undefined : declineReasonOf(course.response_code)).toBe(reason)
})

test('a charge that is suspected of fraud bears its risk', () => {
  expect(judgeCharge({ ...good, behaviour: 'suspected_fraud' }, now).risk_score).toBe(95)
})

test.each([
  ['2026-03-31T23:59:59Z', 'approved'],
  ['2026-04-01T11:59:59Z', 'approved'],
  ['2026-04-01T12:00:00Z', 'declined'],
  ['2027-01-01T00:00:00Z', 'declined'],
])('a card good through 03/2026 is at %s %s', (time, status) => {
  expect(judgeCharge({ ...good, behaviour: 'approved' }, new Date(time)).status).toBe(status)
})

test('a wrong number is told before a past expiry', () => {
  const old = { exp_month: 1, exp_year: 2020 }
  expect(judgeCharge({ ...old, behaviour: 'incorrect_number' }, now)).toBe(courses.incorrect_number)
  expect(judgeCharge({ ...old, behaviour: 'slow' }, now)).toBe(courses.expired)
})

test('only a charge that went through is disputed', () => {
  expect(judgeCharge({ ...good, behaviour: 'disputed' }, now).disputed).toBe(true)
  expect(judgeCharge({ exp_month: 1, exp_year: 2020, behaviour: 'disputed' }, now).disputed).toBe(false)
  expect(Object.entries(courses).filter(([, course]) => course.disputed)).toEqual([['disputed', courses.disputed]])
})

test('a token that is none of ours fails for a technical reason', () => {
  expect(judgeCharge(null, now)).toMatchObject({ status: 'failed', response_code: '25' })
})

describe('what is told of a key', () => {
  const charge = {
    key: 'k',
    reference: 'r',
    token: 't',
    amount_cents: 100,
    currency: 'MXN',
    status: 'approved' as const,
    response_code: '00',
    risk_score: 10,
    settles_at: new Date(1_000),
    created_at: new Date(0),
  }

  test('nothing of the outcome before it settles', () => {
    const told = { key: 'k', reference: 'r', response_code: null, risk_score: null }
    expect(tellCharge(charge, new Date(999))).toEqual({ ...told, status: 'processing' })
    expect(tellCharge({ ...charge, status: 'reversed' }, new Date(999))).toEqual({ ...told, status: 'failed' })
  })

  test('the outcome from then on', () => {
    const told = { key: 'k', reference: 'r', response_code: '00', risk_score: 10 }
    expect(tellCharge(charge, new Date(1_000))).toEqual({ ...told, status: 'approved' })
  })
})
