import { ApiError } from '@cobro/contracts'
import type { AppendedEnd } from './durable-ends.ts'
import { encodeRecord, type SpoolRecord } from './record-codec.ts'
import { bytesFrom, earlier, type SpoolPosition } from './segment-files.ts'
import { append, type SegmentLog } from './segment-log.ts'
import { ackedPosition, notifyAppended, publishFromMemory, type Shipper } from './spool-shipper.ts'
import { type CallBegin, type CallEnd, endCall, type SpooledCall } from './spooled-call.ts'

/** How long a failed sync blocks required calls, because each attempt would create a new file. */
const diskRetryMs = 1000

interface InFlightCall {
  begin: CallBegin
  /** Position of the begin record; undefined if it could not be written. */
  position: SpoolPosition | undefined
  inMemory: boolean
  /** Whether the call was counted as rejected: the record of its 503 can be rejected too. */
  rejected: boolean
}

interface TrackerInput {
  log: SegmentLog
  shipper: Shipper
  makeDurable: (end: AppendedEnd) => Promise<void>
  backlogBytes: number
  memoryCalls: number
}

/** The calls that have begun and not ended, and what they are written to. */
export type InFlightCalls = ReturnType<typeof trackInFlightCalls>

export function trackInFlightCalls(input: TrackerInput) {
  /** By request id, in the order of their positions. */
  const calls = new Map<string, InFlightCall>()
  const counters = { rejected: 0, unrecorded: 0, lost: 0 }
  return { ...input, calls, counters, diskFailingUntil: 0, diskAccepts: true }
}

/** Writes a call's begin record. If that fails, throws only for `required` calls. */
export function beginCall(tracker: InFlightCalls, call: CallBegin, { required }: { required: boolean }): void {
  const entry: InFlightCall = { begin: call, position: undefined, inMemory: false, rejected: false }
  tracker.calls.set(call.request_id, entry)
  try {
    if (required && Date.now() < tracker.diskFailingUntil) throw new Error('the disk failed to sync the spool')
    entry.position = write(tracker, { begin: call }, true)
  } catch (cause) {
    if (required) throw recordingError(tracker, entry, cause)
  }
}

/** Writes the end record of a call. Waits for the disk if `durable`. The first end counts. */
export async function endInFlightCall(
  tracker: InFlightCalls,
  requestId: string,
  end: CallEnd,
  { durable }: { durable: boolean },
): Promise<void> {
  const entry = tracker.calls.get(requestId)
  if (!entry || entry.inMemory) return
  const call = endCall(entry.begin, end)
  const written = writeEnd(tracker, entry, call)
  if (!('cause' in written)) {
    tracker.calls.delete(requestId)
    notifyAppended(tracker.shipper)
    if (durable) await tracker.makeDurable(written).catch(cause => rejectAfterFailedSync(tracker, entry, cause))
  } else if (durable) throw recordingError(tracker, entry, written.cause)
  else void keepInMemory(tracker, entry, call)
}

/** Returns the position before which all ended calls are confirmed and no call in flight began. */
export function neededFrom({ shipper, calls }: InFlightCalls): SpoolPosition {
  const acked = ackedPosition(shipper)
  for (const { position } of calls.values()) if (position) return earlier(position, acked)
  return acked
}

/** Writes a lost segment's begin records again. If that fails, the page cache may have them. */
export function rewriteBegins(tracker: InFlightCalls, lostSegment: number): void {
  for (const [requestId, entry] of [...tracker.calls]) {
    if (entry.position?.segment !== lostSegment) continue
    try {
      entry.position = write(tracker, { begin: entry.begin }, false)
      tracker.calls.delete(requestId)
      tracker.calls.set(requestId, entry)
    } catch {
      return
    }
  }
}

function writeEnd(tracker: InFlightCalls, entry: InFlightCall, call: SpooledCall): AppendedEnd | { cause: unknown } {
  try {
    const bytes = encodeRecord({ end: call })
    // The begin record has reserved space for the end record.
    return { bytes, position: appendLogged(tracker, bytes, entry.position === undefined) }
  } catch (cause) {
    return { cause }
  }
}

function write(tracker: InFlightCalls, record: SpoolRecord, bounded: boolean): SpoolPosition {
  return appendLogged(tracker, encodeRecord(record), bounded)
}

/** Appends a record, and logs when the spool stops and when it resumes accepting records. */
function appendLogged(tracker: InFlightCalls, bytes: Buffer, bounded: boolean): SpoolPosition {
  const { log } = tracker
  try {
    if (bounded && bytesFrom(neededFrom(tracker), log.sizes) >= tracker.backlogBytes)
      throw new Error('the spool is full')
    const position = append(log, bytes)
    if (!tracker.diskAccepts) log.logger.info('the spool accepts records again')
    tracker.diskAccepts = true
    return position
  } catch (error) {
    if (tracker.diskAccepts)
      log.logger.error({ err: error }, 'the spool accepts no records: calls that change anything are rejected')
    tracker.diskAccepts = false
    throw error
  }
}

/** Keeps an ended call in memory, and its begin record, until the broker has confirmed the call. */
async function keepInMemory(tracker: InFlightCalls, entry: InFlightCall, call: SpooledCall): Promise<void> {
  tracker.counters.unrecorded++
  if (tracker.shipper.inMemory.size >= tracker.memoryCalls) {
    tracker.counters.lost++
    tracker.calls.delete(call.request_id)
    return
  }
  entry.inMemory = true
  if (await publishFromMemory(tracker.shipper, call)) tracker.calls.delete(call.request_id)
}

function rejectAfterFailedSync(tracker: InFlightCalls, entry: InFlightCall, cause: unknown): never {
  tracker.diskFailingUntil = Date.now() + diskRetryMs
  throw recordingError(tracker, entry, cause)
}

function recordingError(tracker: InFlightCalls, entry: InFlightCall, cause: unknown): ApiError {
  if (!entry.rejected) tracker.counters.rejected++
  entry.rejected = true
  return new ApiError('unavailable', 'the call cannot be recorded at present', { cause })
}
