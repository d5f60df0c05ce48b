import { formatMoment } from '@cobro/look/formats'
import type { Locale } from '@cobro/look/locales'

/** Formats a due time in the stores' time zone: `18 jun 2026, 23:59`. */
export function formatDue(at: number | string, locale: Locale): string {
  return formatMoment(at, locale, 'America/Mexico_City')
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
