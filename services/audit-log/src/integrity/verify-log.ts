import { packHashes, rootOf, storedTree, unpackHashes } from '../tree/merkle-tree.ts'
import {
  type CheckpointRow,
  checkCheckpoint,
  emptyTrustedTree,
  type TrustedTree,
  trustedTreeAt,
} from './check-checkpoint.ts'
import { checkEvent, type StoredEvent } from './check-event.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'
import { checkpointsAfter, checkpointUpTo, eventsInOrder, type LogEnd, type LogVerifier, readEnd } from './read-log.ts'
import { isWithin, type SeqRange } from './seq-ranges.ts'
import { signedRetirements } from './signed-retirements.ts'

/** What was found: nothing that does not fit, or the first of it. */
export interface Verification {
  ok: boolean
  /** Of the whole log. */
  size: number
  root: string
  /** How many events were hashed again. */
  checked: number
  /** How many are no longer here, because their month was exported and dropped. Their hashes still are. */
  retired: number
  first_fault: IntegrityViolation | null
}

/** A verification in hand. */
interface Walk extends LogVerifier {
  end: LogEnd
  firstSeq: number
  lastSeq: number
  retired: readonly SeqRange[]
  eventsAt: (seq: number) => Promise<StoredEvent[]>
  counts: { checked: number; retired: number }
}

/**
 * Verifies the events from one place to another, both included, and the checkpoints over them: each event is hashed again and
 * held against its leaf and its columns, the leaves against the signed root, each checkpoint against the one before it.
 * `known` is the end of the log where the caller has read it.
 */
export async function verifyLog(
  deps: LogVerifier,
  range: { fromSeq: number; toSeq: number },
  known?: LogEnd,
): Promise<Verification> {
  const end = known ?? (await readEnd(deps.db))
  const lastSeq = Math.min(range.toSeq, end.size)
  const retirements = await signedRetirements(deps)
  const walk: Walk = {
    ...deps,
    end,
    firstSeq: range.fromSeq,
    lastSeq,
    retired: retirements.ranges,
    eventsAt: eventsInOrder(deps.db, lastSeq),
    counts: { checked: 0, retired: 0 },
  }
  const fault = (await firstFault(walk)) ?? retirements.fault ?? null
  const tree = storedTree(end.size, end.frontier)
  const root = tree ? rootOf(tree).toString('base64') : ''
  return { ok: fault === null, size: end.size, root, ...walk.counts, first_fault: fault }
}

async function firstFault(walk: Walk): Promise<IntegrityViolation | undefined> {
  const { db, keys, end, firstSeq, lastSeq } = walk
  if (firstSeq === 1 && end.before !== null) return violationAt('event_added', end.before)
  // The log may have grow since its end was read: a newer checkpoint than that is not what the end is held against.
  const before = await checkpointUpTo(db, Math.min(firstSeq - 1, end.size))
  const start = before ? trustedTreeAt(keys, before) : emptyTrustedTree
  if ('kind' in start) return start
  let trusted: TrustedTree = start
  for await (const row of checkpointsAfter(db, start.tree.size, lastSeq)) {
    const first = trusted.tree.size + 1
    const checked = checkCheckpoint(keys, trusted, row)
    if ('kind' in checked) return located(walk, checked, row, first)
    const fault = await checkPlaces(walk, first, checked.leaves)
    if (fault) return fault
    trusted = checked.trusted
  }
  return endFault(walk, trusted)
}

/** Where leaves do not add up to the signed root, an event that is not its leaf tells which of them was touched. */
async function located(
  walk: Walk,
  fault: IntegrityViolation,
  row: CheckpointRow,
  first: number,
): Promise<IntegrityViolation> {
  if (fault.kind !== 'leaves_changed') return fault
  const odd = await checkPlaces(walk, first, unpackHashes(row.leaves) ?? [])
  return odd ? { ...fault, seq: odd.seq, id: odd.id } : fault
}

async function checkPlaces(
  walk: Walk,
  first: number,
  leaves: readonly Buffer[],
): Promise<IntegrityViolation | undefined> {
  for (const [at, leaf] of leaves.entries()) {
    const seq = first + at
    if (seq < walk.firstSeq || seq > walk.lastSeq) continue
    const fault = await checkPlace(walk, seq, leaf)
    if (fault) return fault
  }
  return undefined
}

async function checkPlace(walk: Walk, seq: number, leaf: Buffer): Promise<IntegrityViolation | undefined> {
  const [event, second] = await walk.eventsAt(seq)
  if (event === undefined) {
    // The month may have gone since: it does while the log is being verified.
    if (!isWithin(walk.retired, seq)) walk.retired = (await signedRetirements(walk)).ranges
    if (!isWithin(walk.retired, seq)) return violationAt('event_missing', seq, { expected: leaf.toString('hex') })
    walk.counts.retired++
    return undefined
  }
  if (second !== undefined)
    return violationAt('event_doubled', seq, { id: second.id, expected: event.id, found: second.id })
  walk.counts.checked++
  return checkEvent(event, leaf)
}

/** Holds the end of the log against the last checkpoint, where the verification came as far as that. */
function endFault({ end, lastSeq }: Walk, { tree, previous }: TrustedTree): IntegrityViolation | undefined {
  if (tree.size < lastSeq)
    return violationAt('checkpoint_missing', tree.size + 1, { expected: String(end.size), found: String(tree.size) })
  if (lastSeq < end.size) return undefined
  if (end.newest > end.size)
    return violationAt('head_changed', end.size + 1, { expected: String(end.newest), found: String(end.size) })
  if (!end.frontier.equals(packHashes(tree.frontier)) || !end.previous.equals(previous))
    return violationAt('head_changed', end.size, {
      expected: rootOf(tree).toString('hex'),
      found: end.frontier.toString('hex'),
    })
  if (end.beyond !== null) return violationAt('event_added', end.beyond)
  if (end.placed <= end.size) return undefined
  return violationAt('head_changed', end.size + 1, { expected: String(end.size), found: String(end.placed) })
}
