import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { resource } from '../declarations/resource.ts'
import { id } from '../fields/ids.ts'
import { currencyCode, defaultCurrency, sumCents } from '../fields/money.ts'
import { isoTime, timestamps } from '../fields/times.ts'

const note = z
  .string()
  .min(1)
  .max(500)
  .nullable()
  .optional()
  .meta({ description: 'A note.', examples: ['Month end'] })

/** A merchant's balance at a moment: one a day by the end-of-day run, others by operators. */
export const balanceSnapshots = resource({
  type: 'BalanceSnapshot',
  labels: { one: 'balance snapshot', many: 'balance snapshots' },
  prefix: 'bal',
  service: 'transactions',
  path: '/api/balance-snapshots',
  tag: { name: 'Balance snapshots', description: "A merchant's balance at the end of each day." },
  audit: 'payment',
  area: 'money',
  scopeGroup: 'settlements',
  callers: { read: callerSets.merchants, write: callerSets.operators },
  emits: {
    create: ['balance_snapshot.created'],
    update: ['balance_snapshot.updated'],
    delete: ['balance_snapshot.deleted'],
  },
  notes: {
    create: 'It is the balance of the merchant at this moment, computed from the ledger.',
    update: 'Only the note can be changed.',
  },
  row: z
    .object({
      id: id('bal'),
      merchant_id: id('mrc'),
      currency: currencyCode,
      as_of: isoTime.describe('The moment that the balance is of.'),
      available_cents: sumCents.describe('What can be paid out.'),
      pending_cents: sumCents.describe('Captured but not yet available.'),
      reserved_cents: sumCents.describe('Held by rolling reserves.'),
      disputed_cents: sumCents.describe('Held for open disputes.'),
      note: z
        .string()
        .nullable()
        .meta({ description: 'A note.', examples: ['Month end'] }),
      ...timestamps,
    })
    .describe("A merchant's balance at a moment."),
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
