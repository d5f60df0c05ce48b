/** Returns the time as `Date.now()` does, with fractions of a millisecond. */
export const epochMs = (): number => performance.timeOrigin + performance.now()
