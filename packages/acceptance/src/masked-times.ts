const exampleMs = Date.parse('2026-11-21T18:04:05.123Z')
const exampleDate = '2026-11-21'

/** A run of a guide takes at most two minutes, so rounding to five hides how long it took. */
const roundingMs = 5 * 60_000
const dayMs = 86_400_000
/** Later times are not of this run: a guide names them. */
const maxAheadMs = 2 * 365 * dayMs

const anyTime = /\b(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|1[789]\d{11})\b/g

/**
 * Puts an example's times in place of those of a run, in ISO 8601 or in milliseconds. The earliest becomes the same in each run,
 * and the others keep their distance from it. The due time of a voucher keeps its time of the day, and its distance in days from
 * `now`.
 */
export function maskedTimes(output: string, now = new Date()): string {
  const nowMs = now.getTime()
  const isOfRun = (ms: number) => ms < nowMs + maxAheadMs
  const isDueTime = (ms: number) => ms % 60_000 === 0 && ms > nowMs + dayMs
  const times = [...output.matchAll(anyTime)].map(([time]) => msOf(time))
  const first = Math.min(...times.filter(ms => isOfRun(ms) && !isDueTime(ms)))
  return output
    .replace(anyTime, time => {
      const ms = msOf(time)
      if (!isOfRun(ms)) return time
      const masked = isDueTime(ms)
        ? ms - startOfDay(nowMs) + startOfDay(exampleMs)
        : exampleMs + Math.round((ms - first) / roundingMs) * roundingMs
      return time.endsWith('Z') ? new Date(masked).toISOString() : String(masked)
    })
    .replace(/\b20\d\d-\d\d-\d\d\b(?!T)/g, exampleDate)
}

const msOf = (time: string) => (time.endsWith('Z') ? Date.parse(time) : Number(time))

/** Days are those of Mexico City, six hours behind UTC, because vouchers are due at their ends. */
const startOfDay = (ms: number) => Math.floor((ms - 6 * 3_600_000) / dayMs) * dayMs
