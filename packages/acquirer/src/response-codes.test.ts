import { declineReasons } from '@cobro/contracts'
import { declineReasonOf } from './response-codes.ts'

const everyCode = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((a, _i, all) => all.map(b => `${a}${b}`))

test.each([
  ['call_issuer', '01 02 37 70'],
  ['technical', '03 06 13 19 20 22 25 30 68 90 94 96'],
  ['restricted_card', '04 36 46 62 78'],
  ['do_not_honor', '05'],
  ['suspected_fraud', '07 34 59 83'],
  ['transaction_not_allowed', '12 57 58 93 R0 R1 R3'],
  ['incorrect_number', '14 15 56'],
  ['card_not_supported', '31 39'],
  ['expired_card', '33 54'],
  ['lost_card', '41'],
  ['stolen_card', '43'],
  ['insufficient_funds', '51'],
  ['limit_exceeded', '61 65'],
  ['incorrect_cvc', '82 N7'],
  ['issuer_not_available', '91 92'],
])('%s is the meaning of the response codes %s', (meaning, codes) => {
  expect(everyCode.filter(code => declineReasonOf(code) === meaning)).toEqual(codes.split(' '))
})

test('translates an unknown response code into a plain decline', () => {
  for (const code of ['ZZ', '', null, 'toString', '__proto__']) expect(declineReasonOf(code)).toBe('card_declined')
})

test('has a response code for every decline reason', () => {
  const reached = new Set(everyCode.map(declineReasonOf))
  expect(declineReasons.filter(reason => !reached.has(reason))).toEqual([])
})
