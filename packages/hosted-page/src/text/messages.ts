import { en } from './messages-en.ts'
import { es, type Messages } from './messages-es.ts'

export type Locale = 'es' | 'en'

export const messages: Record<Locale, Messages> = { es, en }

/** Returns the payer's language: the browser's first supported one, else Spanish. */
export function preferredLocale(languages: readonly string[]): Locale {
  for (const language of languages) {
    if (/^es\b/i.test(language)) return 'es'
    if (/^en\b/i.test(language)) return 'en'
  }
  return 'es'
}
