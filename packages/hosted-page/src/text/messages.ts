import type { DeclineReason } from '@cobro/contracts'
import type { FieldFault, FieldName } from '../cards/card-checks.ts'
import { en } from './messages-en.ts'
import { es } from './messages-es.ts'

export type Locale = 'es' | 'en'

type Words = typeof es

/** The texts of the page; a language that lacks one does not compile. */
export interface Messages extends Words {
  readonly fields: Record<FieldName, string>
  readonly faults: Record<FieldFault, string>
  readonly declines: Record<DeclineReason, string>
}

export const messages: Record<Locale, Messages> = { es, en }

/** Returns the payer's language: the browser's first supported one, else Spanish. */
export function preferredLocale(languages: readonly string[]): Locale {
  for (const language of languages) {
    if (/^es\b/i.test(language)) return 'es'
    if (/^en\b/i.test(language)) return 'en'
  }
  return 'es'
}
