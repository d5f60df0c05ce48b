import fc from 'fast-check'
import { feeOf } from './fee-amounts.ts'

const terms = { percent_bps: 360, fixed_cents: 0, min_fee_cents: null, max_fee_cents: null, tax_bps: 1600 }

test('the fee of 250 pesos at 3.6 percent with IVA is 10.44 pesos', () => {
  expect(feeOf(25_000n, terms)).toEqual({ fee: 900n, tax: 144n, total: 1044n })
})

test.each([
  ['adds the fixed part', { fixed_cents: 300 }, 1200n],
  ['is at least the minimum', { min_fee_cents: 950 }, 950n],
  ['is at most the maximum', { max_fee_cents: 500 }, 500n],
  ['applies its bounds to the share and the fixed part together', { fixed_cents: 300, max_fee_cents: 1000 }, 1000n],
  ['above the minimum is not lowered to it', { min_fee_cents: 500 }, 900n],
  ['below the maximum is not raised to it', { max_fee_cents: 950 }, 900n],
  ['is zero at zero percent', { percent_bps: 0 }, 0n],
])('the fee of a payment %s', (_what, change, fee) => {
  expect(feeOf(25_000n, { ...terms, ...change, tax_bps: 0 })).toEqual({ fee, tax: 0n, total: fee })
})

test('a fee stays within its bounds, never shrinks with a larger amount, and is the sum of its parts', () => {
  const cents = fc.integer({ min: 0, max: 1_000_000 })
  const bps = fc.integer({ min: 0, max: 10_000 })
  const amount = fc.bigInt(1n, 99_999_999_999n)
  fc.assert(
    fc.property(
      amount,
      amount,
      bps,
      cents,
      cents,
      cents,
      bps,
      (small, more, percent_bps, fixed_cents, a, b, tax_bps) => {
        const [min_fee_cents, max_fee_cents] = [Math.min(a, b), Math.max(a, b)]
        const given = { percent_bps, fixed_cents, min_fee_cents, max_fee_cents, tax_bps }
        const [less, greater] = [feeOf(small, given), feeOf(small + more, given)]
        expect(less.total).toBe(less.fee + less.tax)
        expect(less.fee >= BigInt(min_fee_cents) && greater.fee <= BigInt(max_fee_cents)).toBe(true)
        expect(less.fee <= greater.fee && less.tax <= greater.tax).toBe(true)
      },
    ),
    { numRuns: 2_000 },
  )
})
