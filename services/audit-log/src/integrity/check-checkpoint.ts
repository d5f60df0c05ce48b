import type { VerifyingKey } from '../tree/checkpoint-keys.ts'
import { type Checkpoint, isSigned, noteHash, readNote } from '../tree/checkpoint-note.ts'
import { emptyTree, grow, packHashes, rootOf, storedTree, type Tree, unpackHashes } from '../tree/merkle-tree.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'

/** A checkpoint as it is stored. */
export interface CheckpointRow {
  size: number
  leaves: Buffer
  frontier: Buffer
  note: string
  /** As the note tells it. */
  time: string
}

/** How far the log was found to be as its checkpoints say. */
export interface TrustedTree {
  tree: Tree
  /** The hash of the checkpoint that says so. */
  previous: Buffer
}

export const emptyTrustedTree: TrustedTree = { tree: emptyTree, previous: noteHash('') }

/**
 * Holds a checkpoint against what comes before it: it is signed, it names its predecessor, and with its leaves the tree has
 * the root that was signed. Gives how far the log is trusted for then, with the leaves, or what does not fit.
 */
export function checkCheckpoint(
  keys: readonly VerifyingKey[],
  { tree, previous }: TrustedTree,
  row: CheckpointRow,
): { trusted: TrustedTree; leaves: Buffer[] } | IntegrityViolation {
  const seq = tree.size + 1
  const told = readNote(row.note)
  if (!isSigned(row.note, keys)) return violationAt('checkpoint_unsigned', seq, { found: row.note })
  if (told?.size !== row.size)
    return violationAt('checkpoint_changed', seq, { expected: String(told?.size), found: String(row.size) })
  if (!isOfTime(told, row))
    return violationAt('checkpoint_changed', seq, { expected: told.time ?? null, found: row.time })
  if (!told.previous.equals(previous))
    return violationAt('checkpoint_missing', seq, { expected: hex(told.previous), found: hex(previous) })
  const leaves = unpackHashes(row.leaves) ?? []
  const next = grow(tree, leaves)
  const fits = next.size === row.size && rootOf(next).equals(told.root)
  if (!fits) return violationAt('leaves_changed', seq, { expected: hex(told.root), found: hex(rootOf(next)) })
  if (!row.frontier.equals(packHashes(next.frontier)))
    return violationAt('checkpoint_changed', seq, {
      expected: hex(packHashes(next.frontier)),
      found: hex(row.frontier),
    })
  return { trusted: { tree: next, previous: noteHash(row.note) }, leaves }
}

/** How far a checkpoint by itself vouches for the log: its signed root must be that of its frontier. */
export function trustedTreeAt(keys: readonly VerifyingKey[], row: CheckpointRow): TrustedTree | IntegrityViolation {
  const tree = storedTree(row.size, row.frontier)
  const told = readNote(row.note)
  if (!isSigned(row.note, keys)) return violationAt('checkpoint_unsigned', row.size, { found: row.note })
  if (told && !isOfTime(told, row))
    return violationAt('checkpoint_changed', row.size, { expected: told.time ?? null, found: row.time })
  if (tree && told?.size === row.size && told.root.equals(rootOf(tree))) return { tree, previous: noteHash(row.note) }
  return violationAt('checkpoint_changed', row.size, {
    expected: told ? hex(told.root) : null,
    found: hex(row.frontier),
  })
}

/** Of a checkpoint from before notes told their time, nothing signed says when it was made. */
const isOfTime = (told: Checkpoint, row: CheckpointRow): boolean => told.time === undefined || told.time === row.time

const hex = (bytes: Buffer): string => bytes.toString('hex')
