/** The columns that count attempts by their duration: the first below 2 ms, each other one up to twice the one before. */
export const latencyColumns = [
  ...(['took_0', 'took_1', 'took_2', 'took_3', 'took_4', 'took_5', 'took_6', 'took_7'] as const),
  ...(['took_8', 'took_9', 'took_10', 'took_11', 'took_12', 'took_13', 'took_14', 'took_15'] as const),
]

export type LatencyCounts = Record<(typeof latencyColumns)[number], number>

/**
 * Estimates the duration, in milliseconds, that a share of the attempts took at most; null without attempts. Within a class
 * it assumes that the logarithms of the durations are spread evenly.
 */
export function latencyPercentile(counts: LatencyCounts, share: number): number | null {
  const numbers = latencyColumns.map(name => counts[name])
  const wanted = share * numbers.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [place, count] of numbers.entries()) {
    if (count > 0 && below + count >= wanted) return Math.round(within(place, (wanted - below) / count))
    below += count
  }
  return null
}

/** Returns the duration at a part of the way through a class. The first class begins at 0, which has no logarithm. */
function within(place: number, part: number): number {
  return place === 0 ? 2 * part : 2 ** (place + part)
}
