import { ApiError } from '@cobro/contracts'
import type { AppendedEnd } from './durable-ends.ts'
import { encodeRecord, type SpoolRecord } from './record-codec.ts'
import { bytesFrom, earlier, type Position } from './segment-files.ts'
import { append, type SegmentLog } from './segment-log.ts'
import { ackedPosition, callAppended, carry, type Shipper } from './spool-shipper.ts'
import { type CallBegin, type CallEnd, endCall, type SpooledCall } from './spooled-call.ts'

/** After a failed sync, required calls are rejected for this long: each attempt would create a new file. */
const distrustMs = 1000

interface InFlightCall {
  begin: CallBegin
  /** Position of the begin record; undefined if it could not be written. */
  position: Position | undefined
  carried: boolean
  /**
   * Whether the call was counted as refused. The end record of its 503 is refused as well, and the call counts once.
   */
  refused: boolean
}

/** The calls that have begun and not ended, and what they are written to. */
export interface InFlightCalls {
  readonly log: SegmentLog
  readonly shipper: Shipper
  readonly makeDurable: (end: AppendedEnd) => Promise<void>
  readonly backlogBytes: number
  readonly carriedCalls: number
  /** By request id, in the order of their positions. */
  readonly calls: Map<string, InFlightCall>
  readonly counters: { refused: number; unspooled: number; lost: number }
  distrustedUntil: number
  diskTakes: boolean
}

type HandInput = Pick<InFlightCalls, 'log' | 'shipper' | 'makeDurable' | 'backlogBytes' | 'carriedCalls'>

export function trackInFlightCalls(input: HandInput): InFlightCalls {
  const counters = { refused: 0, unspooled: 0, lost: 0 }
  return { ...input, calls: new Map(), counters, distrustedUntil: 0, diskTakes: true }
}

/**
 * Writes the begin record of a call. Throws for a `required` call only; other calls continue without a record.
 */
export function beginCall(hand: InFlightCalls, call: CallBegin, { required }: { required: boolean }): void {
  const inHand: InFlightCall = { begin: call, position: undefined, carried: false, refused: false }
  hand.calls.set(call.request_id, inHand)
  try {
    if (required && Date.now() < hand.distrustedUntil) throw new Error('the disk failed to sync the spool')
    inHand.position = write(hand, { begin: call }, true)
  } catch (cause) {
    if (required) throw refusal(hand, inHand, cause)
  }
}

/**
 * Writes the end record of a call, and waits for the disk if it must be durable. Does nothing if the call has ended
 * already.
 */
export async function endInFlightCall(
  hand: InFlightCalls,
  requestId: string,
  end: CallEnd,
  { durable }: { durable: boolean },
): Promise<void> {
  const inHand = hand.calls.get(requestId)
  if (!inHand || inHand.carried) return
  const call = endCall(inHand.begin, end)
  const written = writeEnd(hand, inHand, call)
  if (!('cause' in written)) {
    hand.calls.delete(requestId)
    callAppended(hand.shipper)
    if (durable) await hand.makeDurable(written).catch(cause => distrust(hand, inHand, cause))
  } else if (durable) throw refusal(hand, inHand, written.cause)
  else void carryCall(hand, inHand, call)
}

/**
 * Returns the position before which nothing is needed: all ended calls are confirmed, and every call in flight began
 * later.
 */
export function neededFrom({ shipper, calls }: InFlightCalls): Position {
  const acked = ackedPosition(shipper)
  for (const { position } of calls.values()) if (position) return earlier(position, acked)
  return acked
}

/** Writes the begin records of a lost segment again. If that fails, the page cache may still have them. */
export function rewriteBegins(hand: InFlightCalls, lostSegment: number): void {
  for (const [requestId, inHand] of [...hand.calls]) {
    if (inHand.position?.segment !== lostSegment) continue
    try {
      inHand.position = write(hand, { begin: inHand.begin }, false)
      hand.calls.delete(requestId)
      hand.calls.set(requestId, inHand)
    } catch {
      return
    }
  }
}

function writeEnd(hand: InFlightCalls, inHand: InFlightCall, call: SpooledCall): AppendedEnd | { cause: unknown } {
  try {
    const bytes = encodeRecord({ end: call })
    // The begin record has reserved space for the end record.
    return { bytes, position: appendNoted(hand, bytes, inHand.position === undefined) }
  } catch (cause) {
    return { cause }
  }
}

function write(hand: InFlightCalls, record: SpoolRecord, bounded: boolean): Position {
  return appendNoted(hand, encodeRecord(record), bounded)
}

/** Appends a record, and logs when the spool stops and when it resumes accepting records. */
function appendNoted(hand: InFlightCalls, bytes: Buffer, bounded: boolean): Position {
  const { log } = hand
  try {
    if (bounded && bytesFrom(neededFrom(hand), log.sizes) >= hand.backlogBytes) throw new Error('the spool is full')
    const position = append(log, bytes)
    if (!hand.diskTakes) log.logger.info('the spool takes records again')
    hand.diskTakes = true
    return position
  } catch (error) {
    if (hand.diskTakes)
      log.logger.error({ err: error }, 'the spool takes no records: calls that change anything are refused')
    hand.diskTakes = false
    throw error
  }
}

/**
 * Keeps an ended call in memory until the broker has confirmed it. Its begin record stays needed until then.
 */
async function carryCall(hand: InFlightCalls, inHand: InFlightCall, call: SpooledCall): Promise<void> {
  hand.counters.unspooled++
  if (hand.shipper.carried.size >= hand.carriedCalls) {
    hand.counters.lost++
    hand.calls.delete(call.request_id)
    return
  }
  inHand.carried = true
  if (await carry(hand.shipper, call)) hand.calls.delete(call.request_id)
}

function distrust(hand: InFlightCalls, inHand: InFlightCall, cause: unknown): never {
  hand.distrustedUntil = Date.now() + distrustMs
  throw refusal(hand, inHand, cause)
}

function refusal(hand: InFlightCalls, inHand: InFlightCall, cause: unknown): ApiError {
  if (!inHand.refused) hand.counters.refused++
  inHand.refused = true
  return new ApiError('unavailable', 'the call cannot be put on record at present', { cause })
}
