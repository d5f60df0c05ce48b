import fc from 'fast-check'
import { maxAmountCents } from '../fields/money.ts'
import { describeValidationErrors } from '../fields/validation-errors.ts'
import { createPaymentLink, paymentLink, publicLink, updatePaymentLink } from './payment-links.ts'

const link = { concepto: 'Curso de barismo', amount_cents: 25_000 }
const faultOf = (schema: typeof createPaymentLink | typeof updatePaymentLink, input: object) => {
  const result = schema.safeParse(input, { reportInput: true })
  return result.success ? 'none' : describeValidationErrors(result.error)
}

test('a new link takes its amount in cents or in pesos, never both', () => {
  const words = 'amount_cents: expected exactly one of amount_cents (cents) and amount (pesos)'
  const { concepto } = link
  expect(faultOf(createPaymentLink, { concepto })).toBe(words)
  expect(faultOf(createPaymentLink, { concepto, amount: 250, amount_cents: 25_000 })).toBe(words)
  const cents = fc.integer({ min: 1, max: maxAmountCents })
  const either = (amount_cents: number) => {
    const amount = `${Math.trunc(amount_cents / 100)}.${String(amount_cents % 100).padStart(2, '0')}`
    const inPesos = createPaymentLink.parse({ concepto, amount })
    const inCents = createPaymentLink.parse({ concepto, amount_cents })
    expect([inPesos.amount, inPesos.amount_cents]).toEqual([inCents.amount_cents, undefined])
  }
  fc.assert(fc.property(cents, either))
})

test.each([
  ['no concepto', { concepto: undefined }, 'concepto: required'],
  ['an empty concepto', { concepto: '' }, 'concepto: too small'],
  ['a blank concepto', { concepto: ' \t\u00a0' }, 'concepto: expected more than blanks'],
  ['a concepto of 251 characters', { concepto: 'x'.repeat(251) }, 'concepto: too big'],
  ['a number for a concepto', { concepto: 5 }, 'concepto: expected string'],
  ['a reference of 65 characters', { reference: 'x'.repeat(65) }, 'reference: too big'],
  ['an empty reference', { reference: '' }, 'reference: too small'],
  [
    'a method named twice',
    { payment_method_types: ['card', 'card'] },
    'payment_method_types: expected each method once',
  ],
  ['two times to expire', { expires_in: 60, expires_at: '2036-01-01T00:00:00Z' }, 'expires_at: cannot be combined'],
  [
    'an expiry of another zone',
    { expires_at: '2036-01-01T00:00:00-06:00' },
    'expires_at: expected an ISO 8601 UTC time',
  ],
  ['an expiry as a number', { expires_at: 2_082_758_400_000 }, 'expires_at'],
  ['more than a year', { expires_in: 366 * 86_400 + 1 }, 'expires_in: too big'],
  ['half a second', { expires_in: 0.5 }, 'expires_in: expected int'],
  ['its own id', { id: 'pl_01jd0000000000000000000000' }, 'id: unknown field'],
  ['its own status', { status: 'paid' }, 'status: unknown field'],
])('a new link with %s is rejected', (_what, change, words) => {
  expect(faultOf(createPaymentLink, { ...link, ...change })).toContain(words)
})

test.each([
  ['no amount in pesos', { amount: '250.00' }, 'amount: unknown field'],
  ['no status', { status: 'paid' }, 'status: unknown field'],
  ['no currency', { currency: 'USD' }, 'currency: unknown field'],
  ['no blank concepto', { concepto: '  ' }, 'concepto: expected more than blanks'],
  ['no null for what a link needs', { amount_cents: null }, 'amount_cents: expected an integer'],
])('an update of a link rejects or accepts %s', (_what, change, words) => {
  expect(faultOf(updatePaymentLink, change)).toContain(words)
})

test("the public view of a link has only the fields that the payer's page needs", () => {
  const hidden = ['correlation_id', 'merchant_id', 'metadata', 'payer_email', 'transaction_id', 'updated_at', 'url']
  const shown = Object.keys(publicLink.shape)
  expect(
    Object.keys(paymentLink.shape)
      .filter(field => !shown.includes(field))
      .sort(),
  ).toEqual(hidden)
  expect(shown.filter(field => !(field in paymentLink.shape))).toEqual(['merchant_name'])
})
