/** A sum as the API gives it. Beyond 2^53 − 1 a JSON number would be rounded, and a rounded sum is a wrong one. */
export function exactCents(sum: bigint): number {
  const cents = Number(sum)
  if (!Number.isSafeInteger(cents)) throw new RangeError(`The sum ${sum} is too large to be told exactly.`)
  return cents
}

/** Part of an amount in hundredths of a percent, half a cent upwards. Neither may be negative. */
export function shareOf(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps) + 5_000n) / 10_000n
}
