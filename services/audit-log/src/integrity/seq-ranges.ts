/** Consecutive sequence numbers, both ends included. */
export type SeqRange = readonly [first: number, last: number]

/** Appends a sequence number. A month can have billions of them, but they form only few ranges. */
export function addSeq(ranges: [number, number][], seq: number): void {
  const last = ranges.at(-1)
  if (last && last[1] + 1 === seq) last[1] = seq
  else ranges.push([seq, seq])
}

/** Formats ranges as `1-5000,5003-5003`. */
export const writeRanges = (ranges: readonly SeqRange[]): string =>
  ranges.map(([first, last]) => `${first}-${last}`).join()

export const readRanges = (text: string): SeqRange[] => (text === '' ? [] : text.split(',').map(readRange))

function readRange(text: string): SeqRange {
  const [first = Number.NaN, last = Number.NaN] = text.split('-').map(Number)
  return [first, last]
}

export const isWithin = (ranges: readonly SeqRange[], seq: number): boolean =>
  ranges.some(([first, last]) => seq >= first && seq <= last)
