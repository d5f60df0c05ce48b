import { declineReasons } from '@cobro/contracts'
import { refusalOf } from './response-codes.ts'

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
])('response code %s means %s', (code, meaning) => {
  expect(refusalOf(code)).toBe(meaning)
})

test('takes what it does not know for a plain decline', () => {
  for (const code of ['ZZ', '', null, 'toString', '__proto__']) expect(refusalOf(code)).toBe('card_declined')
})

test('every decline reason has a code that leads to it', () => {
  const reached = new Set(everyCode.map(refusalOf))
  expect(declineReasons.filter(reason => !reached.has(reason))).toEqual([])
})
