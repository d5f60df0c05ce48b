import type { Locale } from './locales.ts'

const regions: Record<Locale, string> = { es: 'es-MX', en: 'en-US' }

/** Formats an amount with its currency code (`$250.00 MXN`): pesos and dollars share a sign. */
export function formatAmount(cents: number, currency: string, locale: Locale): string {
  return `${formatNumber(cents, currency, locale)} ${currency}`
}

/** Formats an amount without the currency code, where the context shows it. */
export function formatNumber(cents: number, currency: string, locale: Locale): string {
  const format = new Intl.NumberFormat(regions[locale], {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  })
  return format.format(cents / 100)
}

/** Formats a number of things: `1,204,331`. */
export const formatCount = (count: number, locale: Locale): string => count.toLocaleString(regions[locale])

/** Formats a day and time, in the browser's time zone unless another is given: `18 jun 2026, 23:59`, or with seconds. */
export function formatMoment(
  at: number | string,
  locale: Locale,
  timeZone?: string,
  timeStyle: 'short' | 'medium' = 'short',
): string {
  const format = new Intl.DateTimeFormat(regions[locale], {
    dateStyle: 'medium',
    timeStyle,
    hourCycle: locale === 'es' ? 'h23' : 'h12',
    ...(timeZone && { timeZone }),
  })
  return format.format(new Date(at))
}
