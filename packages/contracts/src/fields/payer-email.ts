import { z } from 'zod'

/** A payer's e-mail address in the form in which addresses are compared: trimmed and in lower case. */
export const payerEmail = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email({ error: 'expected an e-mail address' }).max(254, { error: 'expected an e-mail address' }))

/** What takes the place of an address within a text. */
const erased = '[erased]'

/**
 * Replaces each occurrence of a normalized e-mail address in the texts of a JSON value, such as metadata. An address that only
 * contains it, such as `diana@example.com` for `ana@example.com`, stays.
 */
export function withoutEmail<T>(value: T, email: string): T {
  if (value === null || value === undefined) return value
  const written = email.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const occurrence = new RegExp(`(?<![\\w.+'-])${written}(?![\\w-]|\\.\\w)`, 'gi')
  const replaced = (part: unknown): unknown => {
    if (typeof part === 'string') return part.replace(occurrence, erased)
    if (Array.isArray(part)) return part.map(replaced)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([key, child]) => [key.replace(occurrence, erased), replaced(child)]),
    )
  }
  return replaced(value) as T
}
