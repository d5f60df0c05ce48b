/** Where the shop is. Its hours and days are those of this time zone. */
const shopTimeZone = 'America/Mexico_City'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const localParts = new Intl.DateTimeFormat('en-US', {
  timeZone: shopTimeZone,
  hourCycle: 'h23',
  ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
})

/** Returns the offset of the shop's time from UTC at a time, in milliseconds. */
function offsetMs(at: number): number {
  const parts = Object.fromEntries(localParts.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000
}

/** Returns the day in the shop at a time, as the UTC midnight of its date. */
export function shopDay(at: number): number {
  const local = at + offsetMs(at)
  return local - (local % dayMs)
}

/** Returns the time of the shop's clocks on a day, so many milliseconds after midnight. */
export function shopTime(day: number, sinceMidnightMs: number): number {
  const local = day + sinceMidnightMs
  return local - offsetMs(local - offsetMs(local))
}

/** Returns the hour in the shop at a time. */
export function shopHour(at: number): number {
  return Math.floor(((at + offsetMs(at)) % dayMs) / hourMs)
}
