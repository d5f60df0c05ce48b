import fc from 'fast-check'
import { metadata } from './metadata.ts'
import { describeValidationErrors } from './validation-errors.ts'

const faultsOf = (value: unknown) => {
  const result = metadata.safeParse(value)
  return result.success ? 'none' : describeValidationErrors(result.error)
}
/** An object of so many levels below its root. */
const nested = (levels: number): object => (levels === 0 ? { a: 1 } : { a: nested(levels - 1) })
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))
/** An object whose JSON has exactly so many bytes. */
const sized = (bytes: number, character = 'x') => {
  const left = bytes - '{"a":""}'.length
  return { a: character.repeat(Math.floor(left / Buffer.byteLength(character))) }
}

test.each([
  ['nothing', {}],
  ['fifty keys', keys(50)],
  ['five levels below the root', nested(5)],
  ['five levels of lists', { a: [[[[[1]]]]] }],
  ['16 KiB', sized(16_384)],
  ['the greatest whole number that is exact', { a: Number.MAX_SAFE_INTEGER, b: -Number.MAX_SAFE_INTEGER }],
  ['every kind of value', { a: null, b: true, c: 1.5, d: 'text', e: [1, 'two', null, {}] }],
  ['keys that need care', { '': 1, 'a.b': 2, ñ: 3, constructor: 4 }],
])('metadata accepts %s', (_what, value) => {
  expect(faultsOf(value)).toBe('none')
})

test.each([
  ['fifty-one keys', keys(51), 'expected at most 50 keys'],
  ['six levels', nested(6), 'expected at most 5 levels below the root'],
  ['six levels of lists', { a: [[[[[[1]]]]]] }, 'expected at most 5 levels below the root'],
  ['a byte more', sized(16_385), 'expected at most 16 KiB'],
  [
    'a number that reading has rounded',
    { a: [{ b: 2 ** 53 }] },
    'expected whole numbers up to 9007199254740991: longer ones as text',
  ],
  ['few characters of many bytes', sized(16_386, 'ñ'), 'expected at most 16 KiB'],
])('metadata rejects %s', (_what, value, fault) => {
  expect(faultsOf(value)).toBe(`body: ${fault}`)
})

test.each([[null], ['text'], [7], [[1]], [undefined], [{ a: undefined }], [{ a: Number.NaN }], [{ a: new Date(0) }]])(
  'metadata rejects %p, which is not a JSON object',
  value => {
    expect(metadata.safeParse(value).success).toBe(false)
  },
)

test('metadata keeps what it accepts unchanged', () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map(json => JSON.parse(JSON.stringify({ value: json })))
  fc.assert(
    fc.property(value, given => {
      // The body reader rejects these before any schema.
      fc.pre(!JSON.stringify(given).includes('"__proto__":'))
      const result = metadata.safeParse(given)
      if (result.success) expect(result.data).toEqual(given)
    }),
  )
})
