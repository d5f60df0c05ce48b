import { z } from 'zod'
import { id } from '../ids.ts'
import { currencyCode, maxAmountCents, sumCents } from '../money.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'
import { paymentMethods } from './checkout-sessions.ts'
import { rails } from './transactions.ts'

const name = z.string().min(1).max(100)
/** Hundredths of a percent. */
export const bps = z.int().min(0).max(10_000)
export const partCents = z.int().min(0).max(maxAmountCents)

/** Which payments it is for; null stands for all. */
const scope = {
  rail: z.enum(rails).nullable(),
  payment_method: z.enum(paymentMethods).nullable(),
  card_brand: z
    .string()
    .regex(/^[a-z_]{2,32}$/, { error: 'expected a brand such as visa' })
    .nullable(),
  currency: currencyCode.nullable(),
}

const terms = {
  percent_bps: bps,
  fixed_cents: partCents,
  min_fee_cents: partCents.nullable(),
  max_fee_cents: partCents.nullable(),
  tax_bps: bps,
  priority: z.int().min(-1_000_000).max(1_000_000),
  active: z.boolean(),
  valid_from: isoTime.nullable(),
  valid_to: isoTime.nullable(),
}

const changeable = z.strictObject({ name, ...scope, ...terms }).partial()

/** What a merchant's payments cost. The rule that names most about a payment wins, then the higher priority, then the newest. */
export const feeRules = resource({
  kind: 'feeRule',
  plural: 'feeRules',
  prefix: 'fee',
  service: 'transactions',
  path: '/api/fee-rules',
  row: z.object({
    ...{ id: id('fee'), merchant_id: id('mrc'), name, ...scope, ...terms },
    fixed_cents: sumCents,
    created_at: isoTime,
    updated_at: isoTime,
  }),
  create: changeable.required({ name: true }).transform(given => ({
    ...{ percent_bps: 0, fixed_cents: 0, tax_bps: 0, priority: 0, active: true },
    ...given,
  })),
  update: changeable,
  filters: {
    rail: z.enum(rails),
    payment_method: z.enum(paymentMethods),
    card_brand: z.string().max(32),
    currency: currencyCode,
    active: z.stringbool(),
  },
  order: ['created_at', 'updated_at', 'name', 'priority', 'active', 'valid_from', 'valid_to'],
  search: ['name'],
})
