const hourMs = 3_600_000
const quarterMs = hourMs / 4
const dayMs = 24 * hourMs
const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns how far the clocks of a time zone are ahead of UTC at a moment, in milliseconds. */
export function offsetMs(at: Date, timeZone: string): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, format)
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * 60_000)
}

/** Returns the day, `YYYY-MM-DD`, that a moment is on in a time zone. */
export function dayIn(timeZone: string, at: Date): string {
  return new Date(at.getTime() + offsetMs(at, timeZone)).toISOString().slice(0, 10)
}

/** Returns a function that writes moments in a time zone, as ISO 8601 with its offset. */
export function zonedTimes(timeZone: string): (at: Date) => string {
  let [known, ahead] = [Number.NaN, 0]
  return at => {
    // Clocks change on a quarter of an hour, and to ask for the offset takes longer than all else.
    const quarter = Math.floor(at.getTime() / quarterMs)
    if (quarter !== known) [known, ahead] = [quarter, offsetMs(at, timeZone)]
    const offset = new Date(Math.abs(ahead)).toISOString().slice(11, 16)
    return `${new Date(at.getTime() + ahead).toISOString().slice(0, -1)}${ahead < 0 ? '-' : '+'}${offset}`
  }
}

/** Returns when a day, `YYYY-MM-DD`, begins in a time zone. Where midnight is skipped, it is when the clocks go forward. */
export function startOfDay(day: string, timeZone: string): Date {
  const midnight = Date.parse(day)
  const around = [-dayMs, dayMs].map(ms => midnight - offsetMs(new Date(midnight + ms), timeZone))
  const isMidnight = (ms: number) => ms === midnight - offsetMs(new Date(ms), timeZone)
  return new Date(around.find(isMidnight) ?? Math.max(...around))
}

/** Returns the day that is some days after another, or before it. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)
}
