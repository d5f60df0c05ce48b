import type { MailLanguage } from './mail-kinds.ts'

const locales = { es: 'es-MX', en: 'en-US' } as const

/** Returns a time with its day in a time zone, by default UTC. */
export function formatTime(language: MailLanguage, at: string, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeStyle: 'short', timeZone })
  return format.format(new Date(at))
}

/** Returns an amount with its currency code, which is not ambiguous where `$` is that of several. */
export function formatMoney(language: MailLanguage, cents: number, currency: string): string {
  const format = new Intl.NumberFormat(locales[language], { style: 'currency', currency, currencyDisplay: 'code' })
  return format.format(cents / 100)
}
