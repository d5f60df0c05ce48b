const long = process.env.COBRO_TEST_LONG === '1'

/**
 * Returns all attacks in the long form, else one in five, and prints their number. Throws if there
 * are fewer than a review of the running system made.
 */
export function attacksOfRun<T>(what: string, attacks: readonly T[], reviewed: number): T[] {
  if (attacks.length < reviewed) throw new Error(`Expected at least ${reviewed} ${what}, got ${attacks.length}`)
  const chosen = attacks.filter((_attack, place) => long || place % 5 === 0)
  process.stdout.write(`${chosen.length} ${what}\n`)
  return chosen
}
