import { shareOf } from '../money/exact-cents.ts'

/** What a fee is made of. */
export interface FeeTerms {
  percent_bps: number
  fixed_cents: number
  min_fee_cents?: number | null
  max_fee_cents?: number | null
  tax_bps: number
}

/** A fee in minor units: what is charged before tax, the tax on it, and both together. */
export interface FeeAmounts {
  fee: bigint
  tax: bigint
  total: bigint
}

/** The share of the amount, half a cent upwards, and the fixed part, within the bounds; then the tax on that, rounded alike. */
export function feeOf(amount: bigint, terms: FeeTerms): FeeAmounts {
  const { percent_bps, fixed_cents, min_fee_cents, max_fee_cents, tax_bps } = terms
  let fee = shareOf(amount, percent_bps) + BigInt(fixed_cents)
  if (min_fee_cents != null && fee < BigInt(min_fee_cents)) fee = BigInt(min_fee_cents)
  if (max_fee_cents != null && fee > BigInt(max_fee_cents)) fee = BigInt(max_fee_cents)
  const tax = shareOf(fee, tax_bps)
  return { fee, tax, total: fee + tax }
}
