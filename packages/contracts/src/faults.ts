import type { z } from 'zod'
import { maskCardNumbers } from './card-numbers.ts'

const maxShown = 60

/** A value as an error text may repeat it: short, one line, without card numbers. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = maskCardNumbers(JSON.stringify(value) ?? String(value))
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/**
 * Says in words what a schema found: at most the first three faults, each `field: what was expected`, joined by `; `.
 * Unknown fields are named, since a typo in a payment call must not pass silently.
 */
export function describeFaults(error: z.core.$ZodError): string {
  const faults = error.issues.flatMap(faultsOf)
  return [...new Set(faults)].slice(0, 3).join('; ')
}

function faultsOf(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const words = issue.message.startsWith('Unrecognized key') ? 'unknown field' : issue.message
    return issue.keys.map(key => `${shownKey(at ? `${at}.${key}` : key)}: ${words}`)
  }
  return [`${shownKey(at || 'body')}: ${wording(issue)}`]
}

function shownKey(path: string): string {
  return maskCardNumbers(path).slice(0, 100)
}

function wording(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.message.startsWith('Invalid input')) {
    return 'required'
  }
  const message = issue.message.replace(/^Invalid input: /, '')
  return message.charAt(0).toLowerCase() + message.slice(1)
}
