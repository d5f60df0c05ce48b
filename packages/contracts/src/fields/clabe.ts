import { z } from 'zod'

const weights = [3, 7, 1]

/** Returns the check digit of 17 digits: weights 3, 7, 1, products mod 10, sum completed to ten. */
export function clabeCheckDigit(digits: string): number {
  const sum = [...digits].reduce((total, digit, at) => total + ((Number(digit) * (weights[at % 3] ?? 0)) % 10), 0)
  return (10 - (sum % 10)) % 10
}

/** A Mexican bank account number: 18 digits, the last of which checks the others. */
export const clabe = z
  .string()
  .regex(/^\d{18}$/, { error: 'expected a CLABE of 18 digits' })
  .refine(text => clabeCheckDigit(text.slice(0, 17)) === Number(text[17]), {
    error: 'expected a CLABE whose check digit is right',
  })
  .meta({ description: 'Account number (CLABE) of 18 digits.', examples: ['032180000118359719'] })

/** Masks a CLABE but for its last four digits. */
export function maskClabe(text: string): string {
  return `${'*'.repeat(14)}${text.slice(-4)}`
}
