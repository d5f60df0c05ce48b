import { declineReasons } from '@cobro/contracts'
import { declineReasonOf } from './response-codes.ts'

const everyCode = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((a, _i, all) => all.map(b => `${a}${b}`))

test.each([
  ['05', 'do_not_honor'],
  ['14', 'incorrect_number'],
  ['41', 'lost_card'],
  ['43', 'stolen_card'],
  ['51', 'insufficient_funds'],
  ['54', 'expired_card'],
  ['57', 'transaction_not_allowed'],
  ['59', 'suspected_fraud'],
  ['61', 'limit_exceeded'],
  ['62', 'restricted_card'],
  ['82', 'incorrect_cvc'],
  ['91', 'issuer_not_available'],
  ['96', 'technical'],
])('translates response code %s into %s', (code, meaning) => {
  expect(declineReasonOf(code)).toBe(meaning)
})

test('translates an unknown response code into a plain decline', () => {
  for (const code of ['ZZ', '', null, 'toString', '__proto__']) expect(declineReasonOf(code)).toBe('card_declined')
})

test('has a response code for every decline reason', () => {
  const reached = new Set(everyCode.map(declineReasonOf))
  expect(declineReasons.filter(reason => !reached.has(reason))).toEqual([])
})
