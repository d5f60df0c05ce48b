import { z } from 'zod'
import { shown } from './validation-errors.ts'

/** The largest amount one payment may have, in minor units. */
export const maxAmountCents = 99_999_999_999

/** The amount of a payment: an integer in the currency's minor unit, above zero. */
export const amountCents = z
  .int({ error: issue => `expected an integer in minor units (cents), got ${shown(issue.input)}` })
  .min(1, { error: issue => `expected at least 1, got ${shown(issue.input)}` })
  .max(maxAmountCents, { error: issue => `expected at most ${maxAmountCents}, got ${shown(issue.input)}` })
  .meta({ id: 'AmountCents', description: 'Amount in minor units (cents).', format: 'int64', examples: [25_000] })

/** A total or balance in minor units. It may be zero; a balance may be negative. */
export const sumCents = z
  .int()
  .meta({ id: 'SumCents', description: 'Amount in minor units (cents).', format: 'int64', examples: [1_044] })

/** An ISO 4217 code in upper case. The setting CURRENCIES says which ones a deployment accepts. */
export const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: 'expected an ISO 4217 code such as MXN' })
  .meta({
    id: 'CurrencyCode',
    description: 'ISO 4217 code. A deployment may accept only some currencies.',
    examples: ['MXN'],
  })

/** The currency of a payment that names none. */
export const defaultCurrency = 'MXN'
