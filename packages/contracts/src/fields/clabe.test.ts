import fc from 'fast-check'
import { clabe, clabeCheckDigit, maskClabe } from './clabe.ts'

test('accepts a CLABE with a correct check digit', () => {
  // The example of the banks' own association, and one of a transfer bank.
  for (const good of ['032180000118359719', '002010077777777771']) expect(clabe.safeParse(good).success).toBe(true)
})

test.each(['032180000118359718', '03218000011835971', '0321800001183597190', '03218000011835971a', ''])(
  'rejects the CLABE %p',
  text => {
    expect(clabe.safeParse(text).success).toBe(false)
  },
)

test('the check digit of a CLABE detects one wrong digit', () => {
  const account = fc.stringMatching(/^\d{17}$/)
  fc.assert(
    fc.property(account, fc.nat({ max: 17 }), fc.integer({ min: 1, max: 9 }), (digits, at, more) => {
      const good = digits + clabeCheckDigit(digits)
      const wrong = good.slice(0, at) + ((Number(good[at]) + more) % 10) + good.slice(at + 1)
      expect([clabe.safeParse(good).success, clabe.safeParse(wrong).success]).toEqual([true, false])
    }),
    { numRuns: 1_000 },
  )
})

test('maskClabe shows only the last four digits', () => {
  expect(maskClabe('032180000118359719')).toBe('**************9719')
})
