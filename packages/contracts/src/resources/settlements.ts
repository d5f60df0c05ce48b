import { z } from 'zod'
import { id } from '../ids.ts'
import { currencyCode, defaultCurrency, sumCents } from '../money.ts'
import { resource } from '../resource.ts'
import { day, isoTime } from '../times.ts'

const status = z.enum(['pending', 'paid', 'failed'])
const reference = z.string().min(1).max(100).nullable()

/** What a merchant is paid out for a period. */
export const settlements = resource({
  kind: 'settlement',
  plural: 'settlements',
  prefix: 'stl',
  service: 'transactions',
  path: '/api/settlements',
  row: z.object({
    id: id('stl'),
    merchant_id: id('mrc'),
    period_start: day,
    period_end: day,
    currency: currencyCode,
    gross_cents: sumCents,
    fee_cents: sumCents,
    refund_cents: sumCents,
    chargeback_cents: sumCents,
    reserve_held_cents: sumCents,
    reserve_released_cents: sumCents,
    net_cents: sumCents,
    transaction_count: z.int(),
    status,
    paid_at: isoTime.nullable(),
    reference: z.string().nullable(),
    created_at: isoTime,
    updated_at: isoTime,
  }),
  create: z
    .strictObject({
      period_start: day,
      period_end: day,
      currency: currencyCode.default(defaultCurrency),
      reference: reference.optional(),
    })
    .refine(given => given.period_start <= given.period_end, {
      path: ['period_start'],
      error: 'expected a day not after period_end',
    }),
  update: z.strictObject({ status: z.enum(['paid', 'failed']), reference }).partial(),
  filters: { status, currency: currencyCode, reference: z.string().max(100), period_start: day, period_end: day },
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
