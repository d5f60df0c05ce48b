import { declineReasonOf } from '@cobro/acquirer'
import { declineReasons, passesLuhn } from '@cobro/contracts'
import { brandOfNumber, cardBehavior, listTestCards, scenarios } from './card-behaviors.ts'

const documented = [
  ['4242424242424242', 'visa', 'approved'],
  ['5555555555554444', 'mastercard', 'approved'],
  ['378282246310005', 'amex', 'approved'],
  ['4000000000000002', 'visa', 'declined'],
  ['4000000000009995', 'visa', 'insufficient_funds'],
  ['4000000000000069', 'visa', 'expired'],
  ['4000000000000127', 'visa', 'incorrect_cvc'],
  ['4000000000001018', 'visa', 'do_not_honor'],
  ['4000000000001026', 'visa', 'call_issuer'],
  ['4000000000009987', 'visa', 'lost_card'],
  ['4000000000009979', 'visa', 'stolen_card'],
  ['4000000000001034', 'visa', 'restricted_card'],
  ['4000000000001042', 'visa', 'not_allowed'],
  ['4000000000001059', 'visa', 'limit_exceeded'],
  ['4000000000001067', 'visa', 'issuer_not_available'],
  ['4000000000000119', 'visa', 'processing_error'],
  ['4100000000000019', 'visa', 'suspected_fraud'],
  ['4000000000000259', 'visa', 'disputed'],
  ['4000000000005126', 'visa', 'unrefundable'],
  ['4000000000000341', 'visa', 'slow'],
  ['4000000000006975', 'visa', 'cut'],
  ['2221000000000009', 'mastercard', 'approved'],
  ['2720990000000007', 'mastercard', 'approved'],
  ['3530111333300000', 'jcb', 'approved'],
  ['30569309025904', 'diners', 'approved'],
  ['6011111111111117', 'discover', 'approved'],
  ['6200000000000005', 'unionpay', 'approved'],
  ['5062000000000004', 'carnet', 'approved'],
  ['5000000000000009', 'maestro', 'approved'],
] as const

test.each(documented)(
  'the documented card number %s has the brand %s and the behavior %s',
  (number, brand, behaviour) => {
    expect(passesLuhn(number)).toBe(true)
    expect(brandOfNumber(number)).toBe(brand)
    expect(cardBehavior({ number, cvc: '123' })).toBe(behaviour)
  },
)

test.each([
  ['4242424242424241', 'incorrect_number'],
  ['4000000000000003', 'incorrect_number'],
  ['0000000000000000', 'unsupported'],
  ['9999999999999995', 'unsupported'],
  ['2720999999999996', 'approved'],
  ['2721000000000004', 'unsupported'],
  ['42424242', 'unsupported'],
])('the card number %s has the behavior %s', (number, behaviour) => {
  expect(cardBehavior({ number, cvc: '123' })).toBe(behaviour)
})

test.each(['', '12', '12345', 'abc'])('the security code %p is incorrect', cvc => {
  expect(cardBehavior({ number: '4242424242424242', cvc })).toBe('incorrect_cvc')
})

test('for every decline reason there is a documented card, whose charges are declined for it', () => {
  const reasons = listTestCards().flatMap(({ number, status, response_code }) => {
    expect(response_code).toBe(scenarios[cardBehavior({ number, cvc: '123' })].response_code)
    return status === 'declined' ? [declineReasonOf(response_code)] : []
  })
  expect(new Set(reasons)).toEqual(new Set(declineReasons))
})

test('the list of test cards says which card is disputed, not refundable, slow or cut', () => {
  const cards = listTestCards()
  const only = (matches: (card: (typeof cards)[number]) => boolean) => cards.filter(matches).map(({ number }) => number)
  expect(only(card => card.disputed)).toEqual(['4000000000000259'])
  expect(only(card => !card.refundable)).toEqual(['4000000000005126'])
  expect(only(card => card.answer !== 'prompt')).toEqual(['4000000000000341', '4000000000006975'])
  expect(only(card => card.brand === null)).toEqual(['9999999999999995'])
})
