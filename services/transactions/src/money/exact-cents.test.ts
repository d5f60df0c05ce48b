import fc from 'fast-check'
import { exactCents, shareOf } from './exact-cents.ts'

test('a sum that fits a JSON number is returned exactly, and a larger one throws', () => {
  expect([exactCents(0n), exactCents(-5n), exactCents(2n ** 53n - 1n)]).toEqual([0, -5, Number.MAX_SAFE_INTEGER])
  for (const sum of [2n ** 53n, -(2n ** 53n), 2n ** 53n + 1n]) expect(() => exactCents(sum)).toThrow('too large')
})

test('a share of an amount is rounded half up to whole cents', () => {
  expect([shareOf(25_000n, 360), shareOf(1n, 5_000), shareOf(1n, 4_999), shareOf(3n, 5_000)]).toEqual([
    900n,
    1n,
    0n,
    2n,
  ])
})

test('a rounded share is never more than half a cent away from the exact share', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 99_999_999_999n), fc.integer({ min: 0, max: 10_000 }), (amount, bps) => {
      const excess = shareOf(amount, bps) * 10_000n - amount * BigInt(bps)
      expect(excess > -5_000n && excess <= 5_000n).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})
