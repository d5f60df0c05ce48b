import { mkdirSync } from 'node:fs'
import { type Logger, sleepUnlessAborted } from '@cobro/runtime'
import { openAckedPositionFile } from './acked-position.ts'
import { createDurableEnds } from './durable-ends.ts'
import {
  beginCall,
  endInFlightCall,
  type InFlightCalls,
  neededFrom,
  rewriteBegins,
  trackInFlightCalls,
} from './in-flight-calls.ts'
import type { Publish } from './publish-until-confirmed.ts'
import { bytesFrom } from './segment-files.ts'
import { closeSegmentLog, deleteBefore, openSegmentLog } from './segment-log.ts'
import { createSegmentReader } from './segment-reader.ts'
import { nodeDisk, type SpoolDisk } from './spool-disk.ts'
import { lockDirectory } from './spool-lock.ts'
import { type Recovered, recoverSpool } from './spool-recovery.ts'
import { createShipper, drained, notifyAppended, oldestWaiting, runShipper, stopShipper } from './spool-shipper.ts'
import type { CallBegin, CallEnd } from './spooled-call.ts'

const defaultLimits = {
  segmentBytes: 64 * 1024 * 1024,
  /** The maximum that may wait for the broker. The disk needs this and two segments more. */
  backlogBytes: 1024 * 1024 * 1024,
  /** The maximum number of published, unconfirmed messages. */
  inFlight: 8,
  /** The maximum number of ended calls in memory that could not be written to the disk. */
  memoryCalls: 10_000,
}

export type SpoolLimits = typeof defaultLimits

interface SpoolDeps {
  dir: string
  publish: Publish
  logger: Logger
  limits?: Partial<SpoolLimits>
  disk?: SpoolDisk
}

export interface SpoolStats {
  /** Ended calls that the broker has not confirmed, and the size of the spool. */
  backlog_records: number
  backlog_bytes: number
  /** Time since the oldest unconfirmed call ended. */
  oldest_ms: number
  /** Calls that were answered 503 because they could not be recorded. */
  rejected: number
  /** Calls that could not be written to disk, kept in memory until the broker confirmed them. */
  unrecorded: number
  /** Of these, the calls for which the memory had no room. They have no event. */
  lost: number
}

/** Records every HTTP call on the disk until the broker has confirmed its `http.request` event. */
export interface Spool {
  /**
   * Records that a call begins, before it is processed. The record survives a process crash.
   * A `required` call (one that may change something) throws ApiError `unavailable` if the disk is full or failing or
   * the backlog too large; others continue without a record. Every call, even a rejected one, must be ended.
   */
  begin(call: CallBegin, options: { required: boolean }): void
  /**
   * Records how a call ends, before its response head. Resolves once the record survives a crash of
   * this process or, if `durable`, a power failure. Rejects with ApiError `unavailable` if a `durable` record is
   * impossible; then end the call again with the status sent instead, which counts if the first was not written.
   */
  end(requestId: string, end: CallEnd, options: { durable: boolean }): Promise<void>
  stats(): SpoolStats
  /** Publishes what waits, for at most `timeoutMs`, and closes. No call may be in flight. */
  close(options: { timeoutMs: number }): Promise<void>
}

/**
 * Opens the spool in a directory, and publishes what an earlier process left: its ended calls, and
 * unfinished ones as `gateway_crashed`. Rejects if another process uses the directory.
 */
export async function openSpool(deps: SpoolDeps): Promise<Spool> {
  mkdirSync(deps.dir, { recursive: true, mode: 0o700 })
  const unlock = await lockDirectory(deps.dir)
  try {
    const parts = assembleParts(deps, await recoverSpool(deps.dir, deps.logger))
    const shipping = runShipper(parts.tracker.shipper)
    return {
      begin: (call, options) => beginCall(parts.tracker, call, options),
      end: (requestId, end, options) => endInFlightCall(parts.tracker, requestId, end, options),
      stats: () => statsOf(parts.tracker),
      close: ({ timeoutMs }) => closeParts(parts, shipping, timeoutMs).finally(unlock),
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

type Parts = ReturnType<typeof assembleParts>

function assembleParts({ dir, publish, logger, ...deps }: SpoolDeps, recovered: Recovered) {
  const { sizes, start, cutOff } = recovered
  const { inFlight, segmentBytes, ...limits } = { ...defaultLimits, ...deps.limits }
  const reader = createSegmentReader({ dir, sizes, from: start, logger })
  const acked = openAckedPositionFile(dir, logger)
  const log = openSegmentLog({
    dir,
    disk: deps.disk ?? nodeDisk,
    logger,
    segmentBytes,
    sizes,
    nextNumber: recovered.nextSegment,
    onLost: segment => rewriteBegins(tracker, segment),
  })
  const shipper = createShipper({
    publish,
    logger,
    inFlight,
    reader,
    start,
    first: cutOff,
    waiting: cutOff.length + recovered.ended,
    onAcked: () => storeAckedPosition({ tracker, acked }),
  })
  const makeDurable = createDurableEnds(log, () => notifyAppended(shipper))
  const tracker = trackInFlightCalls({ log, shipper, makeDurable, ...limits })
  return { tracker, reader, acked }
}

function storeAckedPosition({ tracker, acked }: Pick<Parts, 'tracker' | 'acked'>): void {
  if (tracker.log.closed) return
  const needed = neededFrom(tracker)
  acked.store(needed)
  const [oldest = needed.segment] = tracker.log.sizes.keys()
  if (oldest < needed.segment) void deleteBefore(tracker.log, needed.segment)
}

async function closeParts(
  { tracker, reader, acked }: Parts,
  shipping: Promise<void>,
  timeoutMs: number,
): Promise<void> {
  const { log, shipper } = tracker
  const inTime = new AbortController()
  await Promise.race([drained(shipper), sleepUnlessAborted(timeoutMs, inTime.signal)])
  inTime.abort()
  stopShipper(shipper)
  await shipping
  await reader.close()
  await closeSegmentLog(log)
  acked.store(neededFrom(tracker))
  acked.close()
  const { backlog_records, backlog_bytes } = statsOf(tracker)
  if (backlog_bytes === 0) await deleteBefore(log, Number.POSITIVE_INFINITY)
  else log.logger.warn({ backlog_records, backlog_bytes }, 'the spool keeps unpublished records for the next start')
}

function statsOf(tracker: InFlightCalls): SpoolStats {
  const { log, shipper, counters } = tracker
  const oldest = oldestWaiting(shipper)
  return {
    backlog_records: shipper.waiting + shipper.inMemory.size,
    backlog_bytes: bytesFrom(neededFrom(tracker), log.sizes),
    oldest_ms: oldest ? Math.max(0, Date.now() - Date.parse(oldest.started_at) - (oldest.duration_ms ?? 0)) : 0,
    ...counters,
  }
}
