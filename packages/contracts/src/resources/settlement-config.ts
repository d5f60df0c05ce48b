import { z } from 'zod'
import { clabe } from '../clabe.ts'
import { id } from '../ids.ts'
import { currencyCode, defaultCurrency } from '../money.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'
import { partCents } from './fee-rules.ts'

const text = z.string().min(1).max(120)
const bank = z.strictObject({ clabe, holder: text, bank_name: text.nullable().default(null) })

const terms = {
  frequency: z.enum(['daily', 'weekly', 'monthly']),
  /** 1 for Monday to 7 for Sunday: the last day of a weekly period. */
  weekday: z.int().min(1).max(7).nullable(),
  /** The last day of a monthly period; a shorter month ends on its own last day. */
  month_day: z.int().min(1).max(31).nullable(),
  /** After how many days what was captured becomes available. */
  delay_days: z.int().min(0).max(365),
  minimum_cents: partCents,
  active: z.boolean(),
}

/** The delay where a merchant has no settlement configuration. */
export const defaultDelayDays = 1

/** When and where a merchant is paid out. At most one of a currency is active. */
export const settlementConfigs = resource({
  kind: 'settlementConfig',
  plural: 'settlementConfigs',
  prefix: 'stc',
  service: 'transactions',
  path: '/api/settlement-config',
  row: z.object({
    ...{ id: id('stc'), merchant_id: id('mrc'), ...terms },
    currency: currencyCode,
    // The account number with all but its last four digits hidden.
    bank: z.object({ clabe: z.string(), holder: z.string(), bank_name: z.string().nullable() }).nullable(),
    created_at: isoTime,
    updated_at: isoTime,
  }),
  create: z.strictObject({
    ...terms,
    weekday: terms.weekday.optional(),
    month_day: terms.month_day.optional(),
    delay_days: terms.delay_days.default(defaultDelayDays),
    minimum_cents: partCents.default(0),
    currency: currencyCode.default(defaultCurrency),
    bank: bank.nullable().optional(),
    active: terms.active.default(true),
  }),
  update: z.strictObject({ ...terms, bank: bank.nullable() }).partial(),
  filters: { frequency: terms.frequency, currency: currencyCode, active: z.stringbool() },
  order: ['created_at', 'updated_at', 'currency', 'active'],
  search: ['id', 'frequency', 'currency'],
})
