import { unlinkSync } from 'node:fs'
import type { Logger } from '@cobro/runtime'
import { readAckedPosition } from './acked-position.ts'
import { logCall } from './log-call.ts'
import { findSegments, type SegmentSizes, type SpoolPosition, segmentPath } from './segment-files.ts'
import { createSegmentReader } from './segment-reader.ts'
import { type CallBegin, cutOffCall, type SpooledCall } from './spooled-call.ts'

/** What an earlier process left in the directory. */
export interface Recovered {
  sizes: SegmentSizes
  /** The broker has confirmed everything before this position. */
  start: SpoolPosition
  /** The first unused segment number. */
  nextSegment: number
  /** Calls that began and never ended, with an end added. */
  cutOff: SpooledCall[]
  /** The number of ended calls that wait to be published. */
  ended: number
}

/** Scans unacknowledged records, deletes older segments. Creates no file: the disk may be full. */
export async function recoverSpool(dir: string, logger: Logger): Promise<Recovered> {
  const acked = readAckedPosition(dir) ?? { segment: 0, offset: 0 }
  const sizes = findSegments(dir)
  for (const segment of [...sizes.keys()].filter(number => number < acked.segment)) {
    unlinkSync(segmentPath(dir, segment))
    sizes.delete(segment)
  }
  const { begun, ended } = await scan({ dir, sizes, from: acked, logger })
  const cutOff = [...begun.values()].map(cutOffCall)
  if (ended + cutOff.length > 0)
    logger.info({ ended, cut_off: cutOff.length }, 'the spool contains unpublished calls of an earlier process')
  for (const call of cutOff) logCall(logger, call)
  return { sizes, start: acked, nextSegment: Math.max(acked.segment, ...sizes.keys()) + 1, cutOff, ended }
}

async function scan(from: Parameters<typeof createSegmentReader>[0]) {
  const begun = new Map<string, CallBegin>()
  let ended = 0
  const reader = createSegmentReader(from)
  try {
    for (let records = await reader.next(); records.length > 0; records = await reader.next()) {
      for (const { record } of records) {
        if ('begin' in record) begun.set(record.begin.request_id, record.begin)
        else {
          begun.delete(record.end.request_id)
          ended++
        }
      }
    }
  } finally {
    await reader.close()
  }
  return { begun, ended }
}
