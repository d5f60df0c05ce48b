import { type LatencyCounts, latencyColumns, latencyPercentile } from './latency-classes.ts'

const countsOf = (numbers: Record<number, number>) =>
  Object.fromEntries(latencyColumns.map((name, place) => [name, numbers[place] ?? 0])) as LatencyCounts

test('no attempts have no percentiles', () => {
  expect(latencyPercentile(countsOf({}), 0.5)).toBeNull()
})

test.each([
  ['the middle of the only class', { 6: 10 }, 0.5, 91],
  ['the end of a class that holds just the share', { 3: 50, 9: 50 }, 0.5, 16],
  ['the class of the slowest attempts', { 3: 90, 13: 10 }, 0.95, 11_585],
  ['the first class, which begins at 0', { 0: 4 }, 0.5, 1],
  ['the last class', { 15: 1 }, 0.95, 63_304],
  ['the end of the last class with attempts', { 2: 1, 5: 1 }, 1, 64],
])('a percentile lies in %s', (_where, numbers, share, expected) => {
  expect(latencyPercentile(countsOf(numbers), share)).toBe(expected)
})

test('percentiles of evenly spread logarithms are close to the true ones', () => {
  const durations = Array.from({ length: 10_000 }, (_, i) => 5 * 400 ** (i / 10_000))
  const numbers: Record<number, number> = {}
  for (const ms of durations) {
    const place = Math.floor(Math.log2(ms))
    numbers[place] = (numbers[place] ?? 0) + 1
  }
  for (const share of [0.5, 0.95]) {
    const estimate = latencyPercentile(countsOf(numbers), share) ?? Number.NaN
    const ratio = estimate / durations[share * durations.length]!
    expect(Math.abs(ratio - 1)).toBeLessThan(0.1)
  }
})
