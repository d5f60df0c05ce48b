import { z } from 'zod'
import { amountCents } from './money.ts'
import { shown } from './validation-errors.ts'

const decimal = /^(\d{1,12})(?:\.(\d{1,2}))?$/

/**
 * An amount in pesos: a JSON number or string with at most two decimals, integer cents in code.
 * Converted digit by digit, never with binary fractions: 4.35 is 435.
 */
export const pesos = z
  .union([z.number(), z.string()], { error: issue => `expected pesos as a number or text, got ${shown(issue.input)}` })
  .transform((value, context) => {
    const match = decimal.exec(String(value))
    if (match) return Number(match[1] + (match[2] ?? '').padEnd(2, '0'))
    context.addIssue({
      code: 'custom',
      message: `expected pesos with at most two decimals, such as 250.50, got ${shown(value)}`,
    })
    return z.NEVER
  })
  .pipe(amountCents)
  .meta({ description: 'Amount in pesos, with at most two decimals.', examples: ['250.00'] })
