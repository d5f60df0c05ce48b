import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A place in the spool: a byte of a numbered segment. Numbers only rise and are never used twice. */
export interface Position {
  segment: number
  offset: number
}

/** The segments that exist, in order, and how many bytes of each are written. */
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

export function earlier(a: Position, b: Position): Position {
  return a.segment < b.segment || (a.segment === b.segment && a.offset <= b.offset) ? a : b
}

/** How many bytes are written from `mark` on. */
export function bytesFrom(mark: Position, sizes: SegmentSizes): number {
  let bytes = 0
  for (const [segment, size] of sizes) {
    if (segment === mark.segment) bytes += size - mark.offset
    else if (segment > mark.segment) bytes += size
  }
  return bytes
}
