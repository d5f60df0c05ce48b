import type { Locale } from './messages.ts'

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

/** Formats a due time in the stores' time zone: `18 jun 2026, 23:59`. */
export function formatDue(at: number | string, locale: Locale): string {
  return formatMoment(at, locale, 'America/Mexico_City')
}

/** Formats a day and time in the payer's time zone. */
export function formatMoment(at: number | string, locale: Locale, timeZone?: string): string {
  const format = new Intl.DateTimeFormat(regions[locale], {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: locale === 'es' ? 'h23' : 'h12',
    ...(timeZone && { timeZone }),
  })
  return format.format(new Date(at))
}

/** Groups a reference by fours, as people read it aloud. */
export function groupsOf(reference: string): string[] {
  return reference.match(/.{1,4}/gu) ?? []
}

/** Formats the remaining time, coarser the more there is: `6 d 23 h`, `2 h 05 min`, `14:59`. */
export function formatTimeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  if (hours >= 1) return `${hours} h ${twoDigits(minutes % 60)} min`
  return `${twoDigits(minutes)}:${twoDigits(seconds % 60)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
