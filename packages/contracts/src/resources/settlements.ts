import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { resource } from '../declarations/resource.ts'
import { id } from '../fields/ids.ts'
import { currencyCode, defaultCurrency, sumCents } from '../fields/money.ts'
import { named } from '../fields/pagination.ts'
import { day, maybeIsoTime, timestamps } from '../fields/times.ts'

const referenceText = { description: 'The reference of the bank transfer.', examples: ['SPEI-1042'] }
const status = named('SettlementStatus', z.enum(['pending', 'paid', 'failed']).describe('The state of a payout.'))
const reference = z.string().min(1).max(100).nullable().meta(referenceText)
const period_start = day.describe('The first day of the period, in UTC.')
const period_end = day.describe('The last day of the period, in UTC.')

/** The payout of a merchant's balance for a period. */
export const settlements = resource({
  type: 'Settlement',
  labels: { one: 'settlement', many: 'settlements' },
  prefix: 'stl',
  service: 'transactions',
  path: '/api/settlements',
  tag: { name: 'Settlements', description: "Payouts of a merchant's balance, period by period." },
  audit: 'payment',
  area: 'money',
  fresh: ['update'],
  approvals: { create: 'above_limit', update: 'above_limit' },
  scopeGroup: 'settlements',
  callers: { read: callerSets.merchants, write: callerSets.operators },
  emits: {
    create: ['settlement.created'],
    update: ['settlement.updated', 'settlement.paid', 'settlement.failed'],
    delete: ['settlement.deleted'],
  },
  notes: {
    create:
      'It collects the available payments of the period. Without a positive net amount there is nothing to pay out: a conflict.',
    update: 'A pending settlement becomes `paid` or `failed`; the payments of a failed one are available again.',
    delete: 'Deletes a pending settlement. Its payments are available again.',
  },
  row: z
    .object({
      id: id('stl'),
      merchant_id: id('mrc'),
      period_start,
      period_end,
      currency: currencyCode,
      gross_cents: sumCents.describe('The captured payments.'),
      fee_cents: sumCents.describe('The fees with their tax, minus those that were returned.'),
      refund_cents: sumCents.describe('The refunds.'),
      chargeback_cents: sumCents.describe('The chargebacks.'),
      reserve_held_cents: sumCents.describe('What rolling reserves hold back.'),
      reserve_released_cents: sumCents.describe('What rolling reserves release.'),
      net_cents: sumCents.describe('What is paid out.'),
      transaction_count: z.int().meta({ description: 'How many transactions it covers.', examples: [10] }),
      status,
      paid_at: maybeIsoTime.describe('When it was paid out; `null` until then.'),
      reference: z.string().nullable().meta(referenceText),
      ...timestamps,
    })
    .describe('The payout of a period.'),
  create: z
    .strictObject({
      period_start,
      period_end,
      currency: currencyCode.default(defaultCurrency),
      reference: reference.optional(),
    })
    .refine(given => given.period_start <= given.period_end, {
      path: ['period_start'],
      error: 'expected a day not after period_end',
    }),
  update: z.strictObject({ status: z.enum(['paid', 'failed']).describe('How the payout ended.'), reference }).partial(),
  filters: {
    status,
    currency: currencyCode,
    reference: z.string().max(100).meta(referenceText),
    period_start,
    period_end,
  },
  order: [
    'created_at',
    'updated_at',
    'status',
    'gross_cents',
    'fee_cents',
    'refund_cents',
    'chargeback_cents',
    'net_cents',
    'transaction_count',
    'period_start',
    'period_end',
    'paid_at',
    'reference',
  ],
  search: ['id', 'reference'],
})
