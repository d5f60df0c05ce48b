import { z } from 'zod'
import { id } from '../ids.ts'
import { currencyCode, defaultCurrency, sumCents } from '../money.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'

const note = z.string().min(1).max(500).nullable().optional()

/** What a merchant had at a moment. The daily run makes one of each day's end, and one may be asked for of now. */
export const balanceSnapshots = resource({
  kind: 'balanceSnapshot',
  plural: 'balanceSnapshots',
  prefix: 'bal',
  service: 'transactions',
  path: '/api/balance-snapshots',
  row: z.object({
    id: id('bal'),
    merchant_id: id('mrc'),
    currency: currencyCode,
    as_of: isoTime,
    available_cents: sumCents,
    pending_cents: sumCents,
    reserved_cents: sumCents,
    disputed_cents: sumCents,
    note: z.string().nullable(),
    created_at: isoTime,
    updated_at: isoTime,
  }),
  create: z.strictObject({ currency: currencyCode.default(defaultCurrency), note }),
  update: z.strictObject({ note }),
  filters: { currency: currencyCode },
  order: [
    'created_at',
    'updated_at',
    'as_of',
    'currency',
    'available_cents',
    'pending_cents',
    'reserved_cents',
    'disputed_cents',
  ],
  search: ['note'],
})
