/** The languages of the pages. */
export type Locale = 'es' | 'en'

/** Returns the reader's language: the browser's first supported one, else Spanish. */
export function preferredLocale(languages: readonly string[]): Locale {
  for (const language of languages) {
    if (/^es\b/i.test(language)) return 'es'
    if (/^en\b/i.test(language)) return 'en'
  }
  return 'es'
}
