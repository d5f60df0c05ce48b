import { type Locale, preferredLocale } from './locales.ts'

test.each<[string[], Locale]>([
  [[], 'es'],
  [['fr-FR'], 'es'],
  [['en-US', 'es'], 'en'],
  [['fr', 'en-GB'], 'en'],
  [['es-MX', 'en'], 'es'],
  [['ens'], 'es'],
])('speaks to a browser that asks for %j in %s', (languages, locale) => {
  expect(preferredLocale(languages)).toBe(locale)
})
