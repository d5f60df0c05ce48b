import { countryCode } from './countries.ts'

test('countryCode accepts the 249 codes of ISO 3166-1, the same as Intl', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const pairs = letters.flatMap(first => letters.map(second => first + second))
  const known = pairs.filter(code => countryCode.safeParse(code).success)
  expect(known).toHaveLength(249)
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  expect(known.filter(code => names.of(code) === undefined)).toEqual([])
})

test.each(['', 'mx', 'Mx', 'MEX', 'ZZ', 'EU', 'XK', 'UK', ' MX', '__proto__'])('countryCode rejects %p', code => {
  expect(countryCode.safeParse(code).success).toBe(false)
})
