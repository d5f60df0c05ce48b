import { shiftDay, startOfDay } from '@cobro/contracts/zoned-days'
import type { Search } from './search.ts'

/** How many rows a page has. */
export const pageSize = 50

/** The last page of a list: for each page, the API reads all rows before it too. Filters narrow a longer list down. */
export const lastPage = 200

/** The filters that every list has: words to look for, and a first and a last day or moment. */
const common = ['search', 'from', 'to'] as const

/**
 * Returns the filters of an address that are set. `names` are those that the list has besides the common ones: no address can
 * filter by what its screen does not show.
 */
export function filtersOf(search: Search, names: readonly string[]): Search {
  return Object.fromEntries([...common, ...names].flatMap(name => (search[name] ? [[name, search[name]]] : [])))
}

/** Returns what an address says of how its list looks, which filters nothing. A saved view has it too. */
export function layoutOf({ columns }: Search): Search {
  return columns ? { columns } : {}
}

/** Returns the page of an address, from 1 to the last one. */
export function pageOf({ page }: Search): number {
  const number = Number(page)
  return Number.isInteger(number) && number > 0 ? Math.min(number, lastPage) : 1
}

/** What a list of the API is asked for. */
export interface ListParams {
  limit: number
  offset: number
  /** Whether all rows that match are counted. Nothing that shows rows waits for that. */
  count: 'exact' | 'none'
  search?: string
  from?: Date
  to?: Date
}

/**
 * Returns what to ask the API for, with the list's own filters as the address has them. Days are those of the merchant's time
 * zone: the API counts days in UTC, so they are sent as moments. Moments are sent as they are.
 */
export function paramsOf(search: Search, names: readonly string[], timeZone: string): ListParams {
  const { from, to, ...equal } = filtersOf(search, names)
  const [first, last] = [firstMoment(from, timeZone), lastMoment(to, timeZone)]
  return {
    ...equal,
    ...(first && { from: first }),
    ...(last && { to: last }),
    limit: pageSize,
    offset: (pageOf(search) - 1) * pageSize,
    count: 'none',
  }
}

/** Returns what to ask the API for to learn how many rows match. It is the same for all pages. */
export function countParamsOf(params: ListParams): ListParams {
  return { ...params, limit: 1, offset: 0, count: 'exact' }
}

/** Returns whether a text is a day that exists, from the year 1000 on. */
export function isDay(text: string | undefined): text is string {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}$/.test(text ?? '')) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${text}`)
}

const timeOfDay = /^T\d\d:\d\d(:\d\d(\.\d+)?)?Z$/

/** Returns the moment that a text is, in ISO 8601 and UTC as the API has it; undefined for anything else. */
export function momentOf(text = ''): Date | undefined {
  if (!isDay(text.slice(0, 10)) || !timeOfDay.test(text.slice(10))) return undefined
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at
}

/** Returns the first moment of a day in a time zone, or the moment that the text is; undefined for what is neither. */
export function firstMoment(text: string | undefined, timeZone: string): Date | undefined {
  return isDay(text) ? startOfDay(text, timeZone) : momentOf(text)
}

/** Returns the last moment of a day in a time zone, or the moment that the text is; undefined for what is neither. */
export function lastMoment(text: string | undefined, timeZone: string): Date | undefined {
  return isDay(text) ? new Date(startOfDay(shiftDay(text, 1), timeZone).getTime() - 1) : momentOf(text)
}
