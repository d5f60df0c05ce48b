/**
 * Returns how many more deliveries a merchant with `own` in flight can have, if `free` more fit in.
 * Each gets at most half of what the others leave, so that one with hanging endpoints always leaves room for another.
 */
export function merchantCapacity(free: number, own: number): number {
  return Math.max(0, Math.ceil((free - own) / 2))
}
