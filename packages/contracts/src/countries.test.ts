import { countryCode } from './countries.ts'

test('knows the 249 countries of ISO 3166-1, as the platform does', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const pairs = letters.flatMap(first => letters.map(second => first + second))
  const known = pairs.filter(code => countryCode.safeParse(code).success)
  expect(known).toHaveLength(249)
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  expect(known.filter(code => names.of(code) === undefined)).toEqual([])
})

test.each(['', 'mx', 'Mx', 'MEX', 'ZZ', 'EU', 'XK', 'UK', ' MX', '__proto__'])('%p is none', code => {
  expect(countryCode.safeParse(code).success).toBe(false)
})
