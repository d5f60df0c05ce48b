import { unlink } from 'node:fs/promises'
import type { Logger } from '@cobro/runtime'
import { type SegmentSizes, type SpoolPosition, segmentPath } from './segment-files.ts'
import type { SpoolDisk } from './spool-disk.ts'

interface Segment {
  number: number
  fd: number
  size: number
  synced: number
  /** The latest sync. Syncs run one after another; the file is closed after the last. */
  syncs: Promise<void>
}

interface LogInput {
  readonly dir: string
  readonly disk: SpoolDisk
  readonly logger: Logger
  readonly segmentBytes: number
  readonly sizes: SegmentSizes
  readonly onLost: (segment: number) => void
  nextNumber: number
}

export interface SegmentLog extends LogInput {
  active: Segment | undefined
  closed: boolean
  /** Segments that are full or abandoned while their files are still open. */
  readonly retired: Map<Segment, Promise<void>>
  /** Segments whose sync failed. */
  readonly lost: Set<number>
}

/**
 * Opens the spool for writing. Never appends to segments of earlier processes, which may have torn
 * tails. The first append creates the file, so that the gateway can start on a full disk.
 */
export function openSegmentLog(input: LogInput): SegmentLog {
  return { ...input, active: undefined, closed: false, retired: new Map(), lost: new Set() }
}

/** Writes to the page cache, which survives a process crash. If it throws, nothing was written. */
export function append(log: SegmentLog, bytes: Buffer): SpoolPosition {
  if (log.closed) throw new Error('the spool is closed')
  const segment = segmentFor(log, bytes.length)
  writeAll(log.disk, segment, bytes)
  const position = { segment: segment.number, offset: segment.size }
  segment.size += bytes.length
  log.sizes.set(segment.number, segment.size)
  return position
}

/** Resolves once all appended records are on disk, except those `isLost` reports. Never rejects. */
export async function sync(log: SegmentLog): Promise<void> {
  const open = [...log.retired.keys(), ...(log.active ? [log.active] : [])]
  await Promise.all(open.map(segment => syncSegment(log, segment)))
}

/** Returns whether the record at a position is in a segment whose sync failed. */
export function isLost(log: SegmentLog, position: SpoolPosition): boolean {
  return log.lost.has(position.segment)
}

/** Deletes the segments before this one. The next process deletes files that remain. */
export async function deleteBefore(log: SegmentLog, segment: number): Promise<void> {
  const past = [...log.sizes.keys()].filter(number => number < segment)
  for (const number of past) {
    log.sizes.delete(number)
    log.lost.delete(number)
    await unlink(segmentPath(log.dir, number)).catch(error =>
      log.logger.warn({ err: error }, 'a spool segment could not be deleted'),
    )
  }
}

/** Syncs everything and stops writing. */
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

/** Writes at the recorded size, over the rest of any record that a full disk rejected. */
function writeAll(disk: SpoolDisk, segment: Segment, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += disk.write(segment.fd, bytes, written, segment.size + written)
}

/** Retires the active segment: syncs it, even if no caller waits, and closes its file. */
function retireActive(log: SegmentLog): void {
  const segment = log.active
  if (!segment) return
  log.active = undefined
  const done = syncSegment(log, segment)
    .then(() => log.disk.close(segment.fd))
    .catch(error => log.logger.error({ err: error, segment: segment.number }, 'a spool segment could not be closed'))
    .finally(() => log.retired.delete(segment))
  log.retired.set(segment, done)
}

function syncSegment(log: SegmentLog, segment: Segment): Promise<void> {
  segment.syncs = segment.syncs.then(async () => {
    const { size } = segment
    if (segment.synced === size || log.lost.has(segment.number)) return
    try {
      // The name of a new file is durable only after its directory is synced.
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
 * Abandons a segment after a failed sync: the kernel then marks unwritten pages as clean,
 * so a second sync would succeed without writing them. What must be durable is written to the next segment.
 */
function loseSegment(log: SegmentLog, segment: Segment, error: unknown): void {
  log.logger.error({ err: error, segment: segment.number }, 'the disk failed to sync a spool segment')
  log.lost.add(segment.number)
  if (log.active === segment) retireActive(log)
  log.onLost(segment.number)
}
