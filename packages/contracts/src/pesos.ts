import { z } from 'zod'
import { shown } from './faults.ts'
import { amountCents } from './money.ts'

const decimal = /^(\d{1,12})(?:\.(\d{1,2}))?$/

/**
 * An amount in pesos as a JSON number or text with at most two decimals, as integer cents in code. The conversion goes by the
 * decimal digits, never by arithmetic on binary fractions: 4.35 is 435.
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
