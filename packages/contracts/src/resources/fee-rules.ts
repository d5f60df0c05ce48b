import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { resource } from '../declarations/resource.ts'
import { id } from '../fields/ids.ts'
import { currencyCode, maxAmountCents, sumCents } from '../fields/money.ts'
import { maybeIsoTime, timestamps } from '../fields/times.ts'
import { paymentMethod } from './checkout-sessions.ts'
import { rail } from './transaction-statuses.ts'

const name = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'A name for people.', examples: ['Tarjetas en línea'] })
/** Basis points: hundredths of a percent. */
export const bps = z
  .int()
  .min(0)
  .max(10_000)
  .meta({ description: 'Basis points: hundredths of a percent.', examples: [360] })
/** A part of a fee or a threshold, in minor units. */
export const partCents = z
  .int()
  .min(0)
  .max(maxAmountCents)
  .meta({ description: 'Amount.', format: 'int64', examples: [100] })

/** The payments that a rule applies to; null matches all. */
const scope = {
  rail: rail.nullable().describe('Only payments on this rail; `null` for all.'),
  payment_method: paymentMethod.nullable().describe('Only payments by this method; `null` for all.'),
  card_brand: z
    .string()
    .regex(/^[a-z_]{2,32}$/, { error: 'expected a brand such as visa' })
    .nullable()
    .meta({ description: 'Only payments with cards of this brand; `null` for all.', examples: ['visa'] }),
  currency: currencyCode.nullable().describe('Only payments in this currency; `null` for all.'),
}

const terms = {
  percent_bps: bps.describe('The share of the amount, in basis points.'),
  fixed_cents: partCents.describe('The fixed part.'),
  min_fee_cents: partCents.nullable().describe('The least fee; `null` for none.'),
  max_fee_cents: partCents.nullable().describe('The highest fee; `null` for none.'),
  tax_bps: bps.describe('The tax on the fee, in basis points.'),
  priority: z
    .int()
    .min(-1_000_000)
    .max(1_000_000)
    .meta({ description: 'Decides between rules that match equally: the higher wins.', examples: [0] }),
  active: z.boolean().describe('Whether the rule applies.'),
  valid_from: maybeIsoTime.describe('From when it applies; `null` for always.'),
  valid_to: maybeIsoTime.meta({
    description: 'Until when it applies, exclusive; `null` for ever.',
    examples: ['2036-11-21T18:04:05.123Z'],
  }),
}

const changeable = z.strictObject({ name, ...scope, ...terms }).partial()

/** A payment's fee: of matching rules, most conditions win, then higher priority, then newest. */
export const feeRules = resource({
  type: 'FeeRule',
  labels: { one: 'fee rule', many: 'fee rules' },
  prefix: 'fee',
  service: 'transactions',
  path: '/api/fee-rules',
  tag: { name: 'Fee rules', description: 'What a merchant pays for its payments.' },
  audit: 'admin',
  area: 'money',
  fresh: ['create', 'update'],
  approvals: { create: 'always', update: 'always', delete: 'always' },
  scopeGroup: 'settlements',
  callers: { read: callerSets.merchants, write: callerSets.operators },
  emits: { create: ['fee_rule.created'], update: ['fee_rule.updated'], delete: ['fee_rule.deleted'] },
  notes: {
    create:
      'It applies to payments captured from then on. Of the rules that match a payment, the one with the most conditions wins, then the higher priority, then the newest.',
    update: 'Payments that were captured before keep their fees.',
    delete: 'Deletes a fee rule. Payments that were captured before keep their fees.',
  },
  row: z
    .object({
      ...{ id: id('fee'), merchant_id: id('mrc'), name, ...scope, ...terms },
      fixed_cents: sumCents.describe('The fixed part.'),
      ...timestamps,
    })
    .describe('How the fee of a payment is computed.'),
  create: changeable.required({ name: true }).transform(given => ({
    ...{ percent_bps: 0, fixed_cents: 0, tax_bps: 0, priority: 0, active: true },
    ...given,
  })),
  update: changeable,
  filters: {
    rail,
    payment_method: paymentMethod,
    card_brand: z.string().max(32).describe('The brand of card, such as `visa`.'),
    currency: currencyCode,
    active: z.stringbool().describe('Whether the rule applies.'),
  },
  order: ['created_at', 'updated_at', 'name', 'priority', 'active', 'valid_from', 'valid_to'],
  search: ['name'],
})
