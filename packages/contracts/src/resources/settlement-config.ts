import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'
import { resource } from '../declarations/resource.ts'
import { clabe } from '../fields/clabe.ts'
import { id } from '../fields/ids.ts'
import { currencyCode, defaultCurrency } from '../fields/money.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { isoTime, timestamps } from '../fields/times.ts'
import { partCents } from './fee-rules.ts'

const text = z.string().min(1).max(120)
const holderText = { description: "The account holder's name.", examples: ['Café Azul SA de CV'] }
const bankText = { description: "The bank's name.", examples: ['IXE'] }
const bankInput = named(
  'BankAccountInput',
  z
    .strictObject({
      clabe,
      holder: text.meta(holderText),
      bank_name: text.nullable().default(null).meta(bankText),
    })
    .describe('The account to pay out to.'),
)
const bankAccount = named(
  'BankAccount',
  z
    .object({
      clabe: z.string().meta({
        description: 'The account number with all but its last four digits masked.',
        examples: ['**************9719'],
      }),
      holder: z.string().meta(holderText),
      bank_name: z.string().nullable().meta(bankText),
    })
    .describe('The account that is paid out to.'),
)
const bankDescription = 'The account to pay out to; `null` for none.'

const pendingBankChange = named(
  'PendingBankChange',
  z
    .object({
      bank: bankAccount.nullable().describe(bankDescription),
      requested_by: id('usr').describe('The user who asked for it, who cannot approve it.'),
      effective_at: isoTime.meta({
        description: 'When it takes effect, unless it is approved or cancelled before.',
        examples: ['2026-01-05T18:04:05.123Z'],
      }),
    })
    .describe('A change of the bank account that is not in effect yet.'),
)

const terms = {
  frequency: z.enum(['daily', 'weekly', 'monthly']).describe('How often the merchant is paid out.'),
  weekday: z
    .int()
    .min(1)
    .max(7)
    .nullable()
    .meta({ description: 'The last day of a weekly period: 1 for Monday to 7 for Sunday.', examples: [5] }),
  month_day: z
    .int()
    .min(1)
    .max(31)
    .nullable()
    .meta({
      description: 'The last day of a monthly period. A shorter month ends on its own last day.',
      examples: [31],
    }),
  delay_days: z
    .int()
    .min(0)
    .max(365)
    .meta({ description: 'After how many days a capture becomes available.', examples: [1] }),
  minimum_cents: partCents.describe('The least amount that is paid out.'),
  active: z.boolean().describe('Whether it applies.'),
}

/** The delay for a merchant without a settlement configuration. */
export const defaultDelayDays = 1

/** When and to which account a merchant is paid out. At most one per currency is active. */
export const settlementConfigs = resource({
  type: 'SettlementConfig',
  labels: { one: 'settlement config', many: 'settlement configs' },
  prefix: 'stc',
  service: 'transactions',
  path: '/api/settlement-config',
  tag: { name: 'Settlement configuration', description: 'When and to which account a merchant is paid out.' },
  audit: 'admin',
  area: 'money',
  fresh: ['create', 'update'],
  scopeGroup: 'settlements',
  callers: { read: callerSets.merchants, write: callerSets.operators, update: callerSets.users },
  emits: {
    create: ['settlement_config.created', 'settlement_config.bank_change_requested'],
    update: [
      'settlement_config.updated',
      'settlement_config.bank_change_requested',
      'settlement_config.bank_change_cancelled',
    ],
    delete: ['settlement_config.deleted'],
  },
  notes: {
    create: 'At most one per currency is active.',
    update:
      'A user of the merchant may change only its bank account. A new account takes effect after a hold, which a second user of the merchant or an operator can end by approving it; until then it is in `bank_pending`.',
  },
  row: z
    .object({
      ...{ id: id('stc'), merchant_id: id('mrc'), ...terms },
      currency: currencyCode,
      bank: bankAccount.nullable().describe(bankDescription),
      bank_pending: pendingBankChange.nullable().describe('The change of `bank` that is on hold; `null` for none.'),
      ...timestamps,
    })
    .describe('When and to which account a merchant is paid out.'),
  create: z.strictObject({
    ...terms,
    weekday: terms.weekday.optional(),
    month_day: terms.month_day.optional(),
    delay_days: terms.delay_days.default(defaultDelayDays),
    minimum_cents: terms.minimum_cents.default(0),
    currency: currencyCode.default(defaultCurrency),
    bank: bankInput.nullable().optional().describe(bankDescription),
    active: terms.active.default(true),
  }),
  secret: true,
  update: z.strictObject({ ...terms, bank: bankInput.nullable().describe(bankDescription) }).partial(),
  filters: {
    frequency: terms.frequency,
    currency: currencyCode,
    active: z.stringbool().describe('Whether it applies.'),
  },
  order: ['created_at', 'updated_at', 'currency', 'active'],
  search: ['id', 'frequency', 'currency'],
})

const bankChange = {
  service: 'transactions',
  tag: settlementConfigs.tag,
  tenant: true,
  audit: 'admin',
  area: 'money',
  callers: callerSets.users,
  method: 'POST',
  params: settlementConfigs.operations.read.params,
  target: 'id',
  response: dataOf(settlementConfigs.row),
} as const

/** What users may do with a change of the bank account that is on hold. */
export const bankChangeOperations = {
  approve: operation({
    ...bankChange,
    fresh: true,
    id: 'approveBankChange',
    summary: 'Approve a change of the bank account',
    description:
      'Puts the change in `bank_pending` into effect at once. Neither the user who asked for it nor a user that has existed for less time than the hold takes can approve it. A conflict if there is no change, or another one than `effective_at` says.',
    path: '/api/settlement-config/:id/bank/approve',
    body: named(
      'ApproveBankChange',
      z
        .strictObject({
          effective_at: isoTime.meta({
            description: '`bank_pending.effective_at` of the change that you approve.',
            examples: ['2026-01-05T18:04:05.123Z'],
          }),
        })
        .describe('Which change of the bank account you approve.'),
    ),
    emits: ['settlement_config.updated'],
  }),
  cancel: operation({
    ...bankChange,
    id: 'cancelBankChange',
    summary: 'Cancel a change of the bank account',
    description: 'Drops the change in `bank_pending`; the account stays as it is. Without one: a conflict.',
    path: '/api/settlement-config/:id/bank/cancel',
    emits: ['settlement_config.bank_change_cancelled'],
  }),
}
