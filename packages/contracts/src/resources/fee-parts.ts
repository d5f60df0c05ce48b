import { z } from 'zod'
import { id } from '../fields/ids.ts'
import { sumCents } from '../fields/money.ts'
import { named } from '../fields/pagination.ts'

/** The fee rule that was applied to a payment, and the fee computed from it. */
export const feeParts = named(
  'FeeParts',
  z
    .object({
      rule_id: id('fee').describe('The fee rule that was applied.'),
      percent_bps: z.int().meta({ description: 'The share of the amount, in basis points.', examples: [360] }),
      fixed_cents: sumCents.describe('The fixed part.'),
      min_fee_cents: sumCents.nullable().describe('The least fee.'),
      max_fee_cents: sumCents.nullable().describe('The highest fee.'),
      tax_bps: z.int().meta({ description: 'The tax on the fee, in basis points.', examples: [1600] }),
      fee_cents: sumCents.describe('The fee without tax.'),
      tax_cents: sumCents.describe('The tax on the fee.'),
    })
    .describe('How a fee was computed.'),
)

export type FeeParts = z.output<typeof feeParts>
