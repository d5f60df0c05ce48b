import { z } from 'zod'
import { shown } from './faults.ts'

/** The largest amount one payment may have, in minor units. */
export const maxAmountCents = 99_999_999_999

/** An amount of a payment: an integer in the currency's minor unit, above zero. */
export const amountCents = z
  .int({ error: issue => `expected an integer in minor units (cents), got ${shown(issue.input)}` })
  .min(1, { error: issue => `expected at least 1, got ${shown(issue.input)}` })
  .max(maxAmountCents, { error: issue => `expected at most ${maxAmountCents}, got ${shown(issue.input)}` })

/** A sum or balance in minor units, which may be zero or, for balances, below it. */
export const sumCents = z.int()

/** An ISO 4217 code in upper case. Which codes a deployment takes is its own setting. */
export const currencyCode = z.string().regex(/^[A-Z]{3}$/, { error: 'expected an ISO 4217 code such as MXN' })

/** The currency of a payment that names none. */
export const defaultCurrency = 'MXN'
