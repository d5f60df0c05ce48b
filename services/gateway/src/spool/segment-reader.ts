import { type FileHandle, open } from 'node:fs/promises'
import type { Logger } from '@cobro/runtime'
import { decodeRecords, maxRecordBytes, type SpoolRecord } from './record-codec.ts'
import { type SegmentSizes, type SpoolPosition, segmentPath } from './segment-files.ts'

export interface ReadRecord {
  record: SpoolRecord
  start: SpoolPosition
  next: SpoolPosition
}

/** Larger than any record, and decoded in about a millisecond, which blocks other calls. */
const chunkBytes = 4 * maxRecordBytes

export type SegmentReader = ReturnType<typeof createSegmentReader>

/**
 * Reads the spool in order from a position, through all segments in `sizes`. `next` returns some
 * records, or none when everything written so far has been read.
 */
export function createSegmentReader(input: { dir: string; sizes: SegmentSizes; from: SpoolPosition; logger: Logger }) {
  const { dir, sizes, logger } = input
  let at = input.from
  let file: FileHandle | undefined

  async function next(): Promise<ReadRecord[]> {
    for (;;) {
      const size = sizes.get(at.segment) ?? 0
      const records = at.offset < size ? await readChunk(size) : []
      if (records.length > 0) return records
      if (at.offset < size) continue
      const following = segmentAfter(at.segment, sizes)
      if (following === undefined) return []
      await close()
      at = { segment: following, offset: 0 }
    }
  }

  async function readChunk(size: number): Promise<ReadRecord[]> {
    const { segment, offset } = at
    file ??= await open(segmentPath(dir, segment))
    const length = Math.min(size - offset, chunkBytes)
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
    const last = bytesRead < length || offset + length === size
    const { records, consumed, damaged } = decodeRecords(buffer.subarray(0, bytesRead), last)
    const missing = bytesRead < length ? length - bytesRead : 0
    if (damaged + missing > 0)
      logger.warn({ segment, offset, bytes: damaged + missing }, 'a spool segment contains damaged bytes')
    at = { segment, offset: offset + consumed + missing }
    return records.map(({ record, start, next }) => ({
      record,
      start: { segment, offset: offset + start },
      next: { segment, offset: offset + next },
    }))
  }

  async function close(): Promise<void> {
    const opened = file
    file = undefined
    await opened?.close()
  }

  return { next, position: () => at, close }
}

function segmentAfter(segment: number, sizes: SegmentSizes): number | undefined {
  for (const number of sizes.keys()) if (number > segment) return number
  return undefined
}
