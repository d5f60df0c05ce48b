import fc from 'fast-check'
import { z } from 'zod'
import { createCheckoutSession } from '../resources/checkout-sessions.ts'
import { hasCardNumber } from './card-numbers.ts'
import { describeValidationErrors, shown } from './validation-errors.ts'

const describe = (schema: z.ZodType, value: unknown) => {
  const result = schema.safeParse(value, { reportInput: true })
  return result.success ? 'none' : describeValidationErrors(result.error)
}
const schema = z.strictObject({
  name: z.string().min(1).max(5),
  kind: z.enum(['a', 'b']).optional(),
  inner: z.strictObject({ list: z.array(z.int()) }).optional(),
})

test.each([
  [{}, 'name: required'],
  [{ name: 5 }, 'name: expected string, received number'],
  [{ name: null }, 'name: expected string, received null'],
  [{ name: '' }, 'name: too small: expected string to have >=1 characters'],
  [{ name: 'too long' }, 'name: too big: expected string to have <=5 characters'],
  [{ name: 'x', kind: 'c' }, 'kind: invalid option: expected one of "a"|"b"'],
  [{ name: 'x', nmae: 'y' }, 'nmae: unknown field'],
  [{ name: 'x', inner: { list: [1, 'two'] } }, 'inner.list.1: expected number, received string'],
  [{ name: 'x', inner: { list: [], lsit: 1 } }, 'inner.lsit: unknown field'],
  [[], 'body: expected object, received array'],
  ['text', 'body: expected object, received string'],
  [undefined, 'body: required'],
])('the validation error of %j is: %s', (value, words) => {
  expect(describe(schema, value)).toBe(words)
})

test('at most three validation errors are described, each once', () => {
  expect(describe(schema, { name: 7, a: 1, b: 2, c: 3 })).toBe(
    'name: expected string, received number; a: unknown field; b: unknown field',
  )
})

test('the validation error of an amount names the received value', () => {
  expect(describe(createCheckoutSession, { amount_total: 250.5, return_url: 'https://shop.mx' })).toBe(
    'amount_total: expected an integer in minor units (cents), got 250.5',
  )
})

test('validation errors never repeat a card number, whether it is a value or a field name', () => {
  expect(describe(createCheckoutSession, { amount_total: 4242424242424242 })).not.toContain('4242')
  expect(describe(schema, { name: 'x', '4242 4242 4242 4242': 1 })).toBe('[card]: unknown field')
})

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [[1], 'an array'],
  [{}, 'an object'],
  ['text', '"text"'],
  ['a\nb', '"a\\nb"'],
  [7, '7'],
  ['x'.repeat(100), `"${'x'.repeat(59)}…`],
  ['4242424242424242', '"[card]"'],
])('an error text shows %j as %s', (value, text) => {
  expect(shown(value)).toBe(text)
})

test('validation errors are one short line without card numbers for any input', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const words = describe(createCheckoutSession, value)
      expect(words.length).toBeLessThan(600)
      expect(hasCardNumber(words)).toBe(false)
    }),
  )
})
