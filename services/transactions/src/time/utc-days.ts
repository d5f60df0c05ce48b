const dayMs = 86_400_000

/** Returns the UTC day of a time as `YYYY-MM-DD`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

/** Adds days to a day; a negative number subtracts. */
export function addDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * dayMs))
}

/** Returns 1 for Monday to 7 for Sunday. */
export function weekdayOf(day: string): number {
  return new Date(day).getUTCDay() || 7
}

/** Returns the last day of a day's month. */
export function monthEnd(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return dayOf(new Date(Date.UTC(year, month, 0)))
}
