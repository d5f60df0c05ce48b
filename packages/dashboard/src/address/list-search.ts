import type { Search } from './search.ts'

/** How many rows a page has. */
export const pageSize = 50

/** The filters that every list has: words to look for, and days. */
const common = ['search', 'from', 'to'] as const

/**
 * Returns the filters of an address that are set. `names` are those that the list has besides the common ones: no address can
 * filter by what its screen does not show.
 */
export function filtersOf(search: Search, names: readonly string[]): Search {
  return Object.fromEntries([...common, ...names].flatMap(name => (search[name] ? [[name, search[name]]] : [])))
}

/** Returns the page of an address, from 1. */
export function pageOf({ page }: Search): number {
  const number = Number(page)
  return Number.isInteger(number) && number > 0 ? number : 1
}

/** What a list of the API is asked for. */
export interface ListParams {
  limit: number
  offset: number
  search?: string
  from?: Date
  to?: Date
}

/**
 * Returns what to ask the API for, with the list's own filters as the address has them. Days are those of the merchant's time
 * zone: the API counts days in UTC, so they are sent as moments.
 */
export function paramsOf(search: Search, names: readonly string[], timeZone: string): ListParams {
  const { from, to, ...equal } = filtersOf(search, names)
  const [start, end] = [dayStart(from, timeZone), dayStart(to, timeZone, 1)]
  return {
    ...equal,
    ...(start && { from: start }),
    ...(end && { to: new Date(end.getTime() - 1) }),
    limit: pageSize,
    offset: (pageOf(search) - 1) * pageSize,
  }
}

/** Returns whether a text is a day that exists, from the year 1000 on. */
export function isDay(text: string | undefined): text is string {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}$/.test(text ?? '')) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${text}`)
}

/** Returns when a day of a time zone begins, or some days after it; undefined for what is no day. */
export function dayStart(day: string | undefined, timeZone: string, later = 0): Date | undefined {
  if (!isDay(day)) return undefined
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const utc = Date.UTC(year, month - 1, date + later)
  // The offset at the moment that is found may differ from that at midnight in UTC.
  const guess = utc - offsetMs(utc, timeZone)
  return new Date(utc - offsetMs(guess, timeZone))
}

/** Returns how far the clocks of a time zone are ahead of UTC at a moment. */
function offsetMs(atMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(atMs)
  const of = (type: string) => Number(parts.find(part => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - atMs
}
