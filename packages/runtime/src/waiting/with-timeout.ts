import pTimeout from 'p-timeout'

/**
 * Returns the promise's value, or undefined if it takes longer than `ms`. Without any time left, only a promise that is already
 * resolved is in time. The work itself is not cancelled.
 */
export function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  // p-timeout throws unless the time is positive.
  return pTimeout(work, { milliseconds: Math.max(ms, 1), fallback: () => undefined })
}
