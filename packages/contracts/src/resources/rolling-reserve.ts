import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { resource } from '../declarations/resource.ts'
import { id } from '../fields/ids.ts'
import { currencyCode, defaultCurrency, sumCents } from '../fields/money.ts'
import { timestamps } from '../fields/times.ts'
import { bps } from './fee-rules.ts'

const percent_bps = bps.describe('The share of each capture that is held, in basis points.')
const hold_days = z
  .int()
  .min(1)
  .max(1_000)
  .meta({ description: 'For how many days it is held.', examples: [90] })
const active = z.boolean().describe('Whether it applies to new captures.')

/** The share of each capture held back, and for how long. At most one per currency is active. */
export const rollingReserves = resource({
  type: 'RollingReserve',
  labels: { one: 'rolling reserve', many: 'rolling reserves' },
  prefix: 'rsv',
  service: 'transactions',
  path: '/api/rolling-reserve',
  tag: {
    name: 'Rolling reserve',
    description: 'The share of captures that is held back from a merchant, and for how long.',
  },
  audit: 'admin',
  area: 'money',
  fresh: ['create', 'update'],
  approvals: { create: 'always', update: 'always', delete: 'always' },
  scopeGroup: 'settlements',
  callers: { read: callerSets.merchants, write: callerSets.operators },
  emits: {
    create: ['rolling_reserve.created'],
    update: ['rolling_reserve.updated'],
    delete: ['rolling_reserve.deleted'],
  },
  notes: {
    create: 'At most one per currency is active. It applies to captures from then on.',
    update: 'It applies to captures from then on; what is held already keeps its date.',
    delete: 'Deletes a rolling reserve. What is held already is released on its date.',
  },
  row: z
    .object({
      id: id('rsv'),
      merchant_id: id('mrc'),
      percent_bps,
      hold_days,
      active,
      currency: currencyCode,
      held_cents: sumCents.describe('What it holds now.'),
      ...timestamps,
    })
    .describe('How much of each capture is held back, and for how long.'),
  create: z.strictObject({
    percent_bps,
    hold_days,
    active: active.default(true),
    currency: currencyCode.default(defaultCurrency),
  }),
  update: z.strictObject({ percent_bps, hold_days, active }).partial(),
  filters: { currency: currencyCode, active: z.stringbool().describe('Whether it applies to new captures.') },
  order: ['created_at', 'updated_at', 'currency', 'active'],
  search: ['id', 'currency'],
})
