import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A byte position in a numbered segment file. Numbers only increase and are never reused. */
export interface SpoolPosition {
  segment: number
  offset: number
}

/** The existing segments in order, with the number of bytes written to each. */
export type SegmentSizes = Map<number, number>

const fileName = /^(\d{12})\.spool$/

export function segmentPath(dir: string, segment: number): string {
  return join(dir, `${String(segment).padStart(12, '0')}.spool`)
}

export function findSegments(dir: string): SegmentSizes {
  const numbers = readdirSync(dir).flatMap(name => fileName.exec(name)?.[1] ?? [])
  return new Map(
    numbers
      .map(Number)
      .toSorted((a, b) => a - b)
      .map(number => [number, statSync(segmentPath(dir, number)).size]),
  )
}

export function earlier(a: SpoolPosition, b: SpoolPosition): SpoolPosition {
  return a.segment < b.segment || (a.segment === b.segment && a.offset <= b.offset) ? a : b
}

/** Returns the number of bytes after `mark`. */
export function bytesFrom(mark: SpoolPosition, sizes: SegmentSizes): number {
  let bytes = 0
  for (const [segment, size] of sizes) {
    if (segment === mark.segment) bytes += size - mark.offset
    else if (segment > mark.segment) bytes += size
  }
  return bytes
}
