import pTimeout from 'p-timeout'

/** Returns the promise's value, or undefined if it takes longer than `ms`. The work itself is not cancelled. */
export function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  // p-timeout rejects negative times; a deadline that has passed leaves no time.
  return pTimeout(work, { milliseconds: Math.max(ms, 0), fallback: () => undefined })
}
