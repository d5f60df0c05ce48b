import { z } from 'zod'
import { id } from '../ids.ts'
import { currencyCode, defaultCurrency, sumCents } from '../money.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'
import { bps } from './fee-rules.ts'

const hold_days = z.int().min(1).max(1_000)
const active = z.boolean()

/** How much of each capture is held back from a merchant, and for how long. At most one of a currency is active. */
export const rollingReserves = resource({
  kind: 'rollingReserve',
  plural: 'rollingReserves',
  prefix: 'rsv',
  service: 'transactions',
  path: '/api/rolling-reserve',
  row: z.object({
    id: id('rsv'),
    merchant_id: id('mrc'),
    percent_bps: bps,
    hold_days,
    active,
    currency: currencyCode,
    /** What this reserve holds at the moment of the captures that it applied to. */
    held_cents: sumCents,
    created_at: isoTime,
    updated_at: isoTime,
  }),
  create: z.strictObject({
    percent_bps: bps,
    hold_days,
    active: active.default(true),
    currency: currencyCode.default(defaultCurrency),
  }),
  update: z.strictObject({ percent_bps: bps, hold_days, active }).partial(),
  filters: { currency: currencyCode, active: z.stringbool() },
  order: ['created_at', 'updated_at', 'currency', 'active'],
  search: ['id', 'currency'],
})
