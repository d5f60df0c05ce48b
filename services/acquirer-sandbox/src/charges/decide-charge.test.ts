import { declineReasonOf } from '@cobro/acquirer'
import { type CardBehavior, scenarios } from '../tokens/card-behaviors.ts'
import { chargeResponseAt, decideCharge } from './decide-charge.ts'

const now = new Date('2026-03-31T23:00:00Z')
const good = { exp_month: 3, exp_year: 2026 }

test.each<[CardBehavior, string, string | undefined]>([
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
])('a charge of a card with the behavior %s is %s (%s)', (behaviour, status, reason) => {
  const scenario = decideCharge({ ...good, behaviour }, now)
  expect(scenario.status).toBe(status)
  expect(scenario.status === 'approved' ? undefined : declineReasonOf(scenario.response_code)).toBe(reason)
})

test('a charge that is suspected of fraud has a risk score of 95', () => {
  expect(decideCharge({ ...good, behaviour: 'suspected_fraud' }, now).risk_score).toBe(95)
})

test.each([
  ['2026-03-31T23:59:59Z', 'approved'],
  ['2026-04-01T11:59:59Z', 'approved'],
  ['2026-04-01T12:00:00Z', 'declined'],
  ['2027-01-01T00:00:00Z', 'declined'],
])('a charge at %s of a card valid through 03/2026 is %s', (time, status) => {
  expect(decideCharge({ ...good, behaviour: 'approved' }, new Date(time)).status).toBe(status)
})

test('a charge of an invalid number is declined for the number and not for its expiry', () => {
  const old = { exp_month: 1, exp_year: 2020 }
  expect(decideCharge({ ...old, behaviour: 'incorrect_number' }, now)).toBe(scenarios.incorrect_number)
  expect(decideCharge({ ...old, behaviour: 'slow' }, now)).toBe(scenarios.expired)
})

test('only an approved charge is disputed', () => {
  expect(decideCharge({ ...good, behaviour: 'disputed' }, now).disputed).toBe(true)
  expect(decideCharge({ exp_month: 1, exp_year: 2020, behaviour: 'disputed' }, now).disputed).toBe(false)
  expect(Object.entries(scenarios).filter(([, scenario]) => scenario.disputed)).toEqual([
    ['disputed', scenarios.disputed],
  ])
})

test('a charge of an unknown token fails for a technical reason', () => {
  expect(decideCharge(null, now)).toMatchObject({ status: 'failed', response_code: '25' })
})

describe('chargeResponseAt', () => {
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

  test('a charge is processing before its outcome is due, and failed if it was reversed', () => {
    const fields = { key: 'k', reference: 'r', response_code: null, risk_score: null }
    expect(chargeResponseAt(charge, new Date(999))).toEqual({ ...fields, status: 'processing' })
    expect(chargeResponseAt({ ...charge, status: 'reversed' }, new Date(999))).toEqual({ ...fields, status: 'failed' })
  })

  test('a charge has its outcome from its due time on', () => {
    const fields = { key: 'k', reference: 'r', response_code: '00', risk_score: 10 }
    expect(chargeResponseAt(charge, new Date(1_000))).toEqual({ ...fields, status: 'approved' })
  })
})
