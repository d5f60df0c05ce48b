import pTimeout from 'p-timeout'

/** Returns a promise's value, or undefined after `ms` (at least 1 ms). Does not cancel its work. */
export function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  // p-timeout throws unless the time is positive.
  return pTimeout(work, { milliseconds: Math.max(ms, 1), fallback: () => undefined })
}
