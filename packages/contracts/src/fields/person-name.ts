import { z } from 'zod'
import { hasCardNumber } from './card-numbers.ts'

/** The name of a person who runs a command, without control characters or a card number: it stays in the audit log. */
export const personName = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,100}$/u)
  .refine(name => !hasCardNumber(name))
