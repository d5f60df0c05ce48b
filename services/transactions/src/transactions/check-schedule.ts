const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const waitsMs = [2 * second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour, 6 * hour]
const lastWaitMs = 24 * hour

/** When to ask the acquirer again about a charge of unknown outcome: seconds, then minutes, hours, days, without end. */
export function nextCheckAt(checkCount: number, now: Date): Date {
  return new Date(now.getTime() + (waitsMs[checkCount] ?? lastWaitMs))
}

/** How old a charge must be before "not found" may be ended by a reversal: until then the request may still be on its way. */
export const reverseAfterMs = minute
