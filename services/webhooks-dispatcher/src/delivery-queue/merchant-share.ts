/**
 * Returns how many more deliveries a merchant can have in flight in a process with room for `free` more, where the merchant has
 * `own`. Each merchant gets at most half of what the others leave, so that one with hanging endpoints takes half of the process
 * and there is always room for another.
 */
export function merchantCapacity(free: number, own: number): number {
  return Math.max(0, Math.ceil((free - own) / 2))
}
