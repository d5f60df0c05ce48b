/** Converts a sum for the API. Throws above 2^53 − 1, where a JSON number would be rounded. */
export function exactCents(sum: bigint): number {
  const cents = Number(sum)
  if (!Number.isSafeInteger(cents)) throw new RangeError(`The sum ${sum} is too large for an exact JSON number.`)
  return cents
}

/** Returns a share of an amount in basis points, rounded half up. Neither may be negative. */
export function shareOf(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps) + 5_000n) / 10_000n
}
