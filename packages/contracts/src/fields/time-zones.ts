import { z } from 'zod'

/** Names such as `America/Mexico_City` or `UTC`; not offsets, which `Intl` accepts too. */
const nameFormat = /^[A-Z][A-Za-z0-9_+-]*(\/[A-Z][A-Za-z0-9_+-]*){0,2}$/

/** A time zone by its name in the IANA database. */
export const timeZone = z
  .string()
  .max(50)
  .refine(name => nameFormat.test(name) && isKnown(name), {
    error: 'expected the IANA name of a time zone such as America/Mexico_City',
    abort: true,
  })
  .meta({
    id: 'TimeZone',
    description: 'The name of a time zone in the IANA database.',
    examples: ['America/Mexico_City'],
  })

function isKnown(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
