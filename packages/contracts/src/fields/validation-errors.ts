import type { z } from 'zod'
import { maskCardNumbers, maskStart } from './card-numbers.ts'

const maxShown = 60
const maxTexts = 3

/** Returns a value for an error text: short, one line, without card numbers. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  const json = JSON.stringify(value)
  const text = maskStart(json, maxShown + 1, part => maskCardNumbers(part, 'json'))
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/**
 * Describes validation errors: at most the first three, each `field: what was expected`, joined by
 * `; `. Names unknown fields, so that a typo does not pass silently.
 */
export function describeValidationErrors(error: z.core.$ZodError): string {
  const texts = new Set<string>()
  for (const issue of error.issues) {
    for (const text of textsOf(issue)) {
      texts.add(text)
      if (texts.size === maxTexts) return [...texts].join('; ')
    }
  }
  return [...texts].join('; ')
}

function* textsOf(issue: z.core.$ZodIssue): Generator<string> {
  const at = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const words = issue.message.startsWith('Unrecognized key') ? 'unknown field' : issue.message
    for (const key of issue.keys) yield `${shownKey(at ? `${at}.${key}` : key)}: ${words}`
  } else {
    yield `${shownKey(at || 'body')}: ${wording(issue)}`
  }
}

function shownKey(path: string): string {
  return maskStart(path, 100)
}

function wording(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.message.startsWith('Invalid input')) {
    return 'required'
  }
  const message = issue.message.replace(/^Invalid input: /, '')
  return message.charAt(0).toLowerCase() + message.slice(1)
}
