import { shareOf } from '../money/exact-cents.ts'
import type { FeeRuleRow } from './fee-rule-entity.ts'

type FeeTerms = Pick<FeeRuleRow, 'percent_bps' | 'fixed_cents' | 'min_fee_cents' | 'max_fee_cents' | 'tax_bps'>

/** Calculates a fee: share plus fixed part, limited to the bounds, plus tax, rounded half up. */
export function feeOf(amount: bigint, terms: FeeTerms) {
  const { percent_bps, fixed_cents, min_fee_cents, max_fee_cents, tax_bps } = terms
  let fee = shareOf(amount, percent_bps) + BigInt(fixed_cents)
  if (min_fee_cents != null && fee < BigInt(min_fee_cents)) fee = BigInt(min_fee_cents)
  if (max_fee_cents != null && fee > BigInt(max_fee_cents)) fee = BigInt(max_fee_cents)
  const tax = shareOf(fee, tax_bps)
  return { fee, tax, total: fee + tax }
}
