import { unlink } from 'node:fs/promises'
import type { Logger } from '@cobro/runtime'
import { type Position, type SegmentSizes, segmentPath } from './segment-files.ts'
import type { SpoolDisk } from './spool-disk.ts'

interface Segment {
  number: number
  fd: number
  size: number
  synced: number
  /** The last of its syncs, which run one after another; the file is closed behind it. */
  syncs: Promise<void>
}

/** The writing end of the spool. */
export interface SegmentLog {
  readonly dir: string
  readonly disk: SpoolDisk
  readonly logger: Logger
  readonly segmentBytes: number
  readonly sizes: SegmentSizes
  readonly onLost: (segment: number) => void
  nextNumber: number
  active: Segment | undefined
  closed: boolean
  /** Segments that are full or given up, while their files are still open. */
  readonly retired: Map<Segment, Promise<void>>
  /** Segments that the disk failed to sync. */
  readonly lost: Set<number>
}

type LogInput = Pick<SegmentLog, 'dir' | 'disk' | 'logger' | 'segmentBytes' | 'sizes' | 'onLost' | 'nextNumber'>

/**
 * Opens the spool for writing. What earlier processes wrote is never appended to, since its tail may be torn. A file is
 * made at the first append: a full disk must not keep the gateway from starting.
 */
export function openSegmentLog(input: LogInput): SegmentLog {
  return { ...input, active: undefined, closed: false, retired: new Map(), lost: new Set() }
}

/** Writes into the page cache, which outlives this process. Throws what the disk answers; then nothing was written. */
export function append(log: SegmentLog, bytes: Buffer): Position {
  if (log.closed) throw new Error('the spool is closed')
  const segment = segmentFor(log, bytes.length)
  writeAll(log.disk, segment, bytes)
  const position = { segment: segment.number, offset: segment.size }
  segment.size += bytes.length
  log.sizes.set(segment.number, segment.size)
  return position
}

/** Resolves when all that was appended so far is on the disk, but for what `isLost` then says. Never rejects. */
export async function sync(log: SegmentLog): Promise<void> {
  const open = [...log.retired.keys(), ...(log.active ? [log.active] : [])]
  await Promise.all(open.map(segment => syncSegment(log, segment)))
}

/** Tells whether the record there lies in a segment that the disk failed to sync. */
export function isLost(log: SegmentLog, position: Position): boolean {
  return log.lost.has(position.segment)
}

/** Deletes the segments before this one. A file that stays is deleted by the next process. */
export async function deleteBefore(log: SegmentLog, segment: number): Promise<void> {
  const past = [...log.sizes.keys()].filter(number => number < segment)
  for (const number of past) {
    log.sizes.delete(number)
    log.lost.delete(number)
    await unlink(segmentPath(log.dir, number)).catch(error => log.logger.warn({ err: error }, 'a spool segment stays'))
  }
}

/** Ends writing, with everything on the disk. */
export async function closeSegmentLog(log: SegmentLog): Promise<void> {
  log.closed = true
  retireActive(log)
  await Promise.all(log.retired.values())
}

function segmentFor(log: SegmentLog, length: number): Segment {
  const { active } = log
  if (active && (active.size === 0 || active.size + length <= log.segmentBytes)) return active
  const number = log.nextNumber++
  const fd = log.disk.create(segmentPath(log.dir, number))
  log.sizes.set(number, 0)
  retireActive(log)
  const opened = { number, fd, size: 0, synced: 0, syncs: Promise.resolve() }
  log.active = opened
  return opened
}

/**
 * Writes at the place that the segment's size says, not at the file's end: what a full disk took of a record before it
 * refused the rest is overwritten by the next one.
 */
function writeAll(disk: SpoolDisk, segment: Segment, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += disk.write(segment.fd, bytes, written, segment.size + written)
}

/** The active segment takes no more. It is synced though nobody may wait for that, then its file is closed. */
function retireActive(log: SegmentLog): void {
  const segment = log.active
  if (!segment) return
  log.active = undefined
  const done = syncSegment(log, segment).then(() => {
    log.disk.close(segment.fd)
    log.retired.delete(segment)
  })
  log.retired.set(segment, done)
}

function syncSegment(log: SegmentLog, segment: Segment): Promise<void> {
  segment.syncs = segment.syncs.then(async () => {
    const { size } = segment
    if (segment.synced === size || log.lost.has(segment.number)) return
    try {
      // The name of a new file is durable only once its directory is.
      if (segment.synced === 0) await log.disk.syncDirectory(log.dir)
      await log.disk.sync(segment.fd)
      segment.synced = size
    } catch (error) {
      loseSegment(log, segment, error)
    }
  })
  return segment.syncs
}

/**
 * After a failed sync the kernel counts the lost pages as clean: a second sync of the same file would answer well
 * without having written them. So the segment is given up, and what must be durable is written anew into the next.
 */
function loseSegment(log: SegmentLog, segment: Segment, error: unknown): void {
  log.logger.error({ err: error, segment: segment.number }, 'the disk failed to sync a spool segment')
  log.lost.add(segment.number)
  if (log.active === segment) retireActive(log)
  log.onLost(segment.number)
}
