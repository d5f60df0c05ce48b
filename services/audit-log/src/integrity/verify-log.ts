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
import { signedRestores } from './signed-restores.ts'
import { signedRetirements } from './signed-retirements.ts'

/** The state of a running verification. */
interface Walk extends LogVerifier {
  end: LogEnd
  firstSeq: number
  lastSeq: number
  retired: readonly SeqRange[]
  eventsAt: (seq: number) => Promise<StoredEvent[]>
  counts: { checked: number; retired: number }
}

/**
 * Verifies events `fromSeq` to `toSeq` and their checkpoints: events against leaves and columns,
 * leaves against signed roots, checkpoints against the ones before. Pass `known` if the head was already read.
 */
export async function verifyLog(deps: LogVerifier, range: { fromSeq: number; toSeq: number }, known?: LogEnd) {
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
  const { restores, violation: restoreViolation } = await signedRestores(deps)
  const violation = (await firstViolation(walk)) ?? retirements.violation ?? restoreViolation ?? null
  const tree = storedTree(end.size, end.frontier)
  const root = tree ? rootOf(tree).toString('base64') : ''
  return { ok: violation === null, size: end.size, root, ...walk.counts, first_fault: violation, restores }
}

async function firstViolation(walk: Walk): Promise<IntegrityViolation | undefined> {
  const { db, keys, end, firstSeq, lastSeq } = walk
  if (firstSeq === 1 && end.before !== null) return violationAt('event_added', end.before)
  // The log may have grown since its head was read, so newer checkpoints are skipped.
  const before = await checkpointUpTo(db, Math.min(firstSeq - 1, end.size))
  const start = before ? trustedTreeAt(keys, before) : emptyTrustedTree
  if ('kind' in start) return start
  let trusted: TrustedTree = start
  for await (const row of checkpointsAfter(db, start.tree.size, lastSeq)) {
    const first = trusted.tree.size + 1
    const checked = checkCheckpoint(keys, trusted, row)
    if ('kind' in checked) return withLocation(walk, checked, row, first)
    const violation = await checkEvents(walk, first, checked.leaves)
    if (violation) return violation
    trusted = checked.trusted
  }
  return headViolation(walk, trusted)
}

/** If leaves do not lead to the signed root, finds the event that differs from its leaf. */
async function withLocation(walk: Walk, violation: IntegrityViolation, { leaves }: CheckpointRow, first: number) {
  if (violation.kind !== 'leaves_changed') return violation
  const changed = await checkEvents(walk, first, unpackHashes(leaves) ?? [])
  return changed ? { ...violation, seq: changed.seq, id: changed.id } : violation
}

async function checkEvents(walk: Walk, first: number, leaves: readonly Buffer[]) {
  for (const [at, leaf] of leaves.entries()) {
    const seq = first + at
    if (seq < walk.firstSeq || seq > walk.lastSeq) continue
    const violation = await checkSeq(walk, seq, leaf)
    if (violation) return violation
  }
  return undefined
}

async function checkSeq(walk: Walk, seq: number, leaf: Buffer): Promise<IntegrityViolation | undefined> {
  const [event, second] = await walk.eventsAt(seq)
  if (event === undefined) {
    // The month may have been retired during the verification.
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

/** Compares the head of the log with the last checkpoint, if the range includes it. */
function headViolation({ end, lastSeq }: Walk, { tree, previous }: TrustedTree): IntegrityViolation | undefined {
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
