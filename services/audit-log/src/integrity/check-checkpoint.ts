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
  /** The creation time, in the format of the note. */
  time: string
}

/** The part of the log that is already verified. */
export interface TrustedTree {
  tree: Tree
  /** The hash of the checkpoint that signs it. */
  previous: Buffer
}

export const emptyTrustedTree: TrustedTree = { tree: emptyTree, previous: noteHash('') }

/**
 * Verifies a checkpoint: it must be signed and refer to the trusted one before, and its leaves must
 * lead to the signed root. Returns the extended tree with the leaves, or the violation.
 */
export function checkCheckpoint(
  keys: readonly VerifyingKey[],
  { tree, previous }: TrustedTree,
  row: CheckpointRow,
): { trusted: TrustedTree; leaves: Buffer[] } | IntegrityViolation {
  const seq = tree.size + 1
  const signed = readNote(row.note)
  if (!isSigned(row.note, keys)) return violationAt('checkpoint_unsigned', seq, { found: row.note })
  if (signed?.size !== row.size)
    return violationAt('checkpoint_changed', seq, { expected: String(signed?.size), found: String(row.size) })
  if (!hasSignedTime(signed, row))
    return violationAt('checkpoint_changed', seq, { expected: signed.time ?? null, found: row.time })
  if (!signed.previous.equals(previous))
    return violationAt('checkpoint_missing', seq, { expected: hex(signed.previous), found: hex(previous) })
  const leaves = unpackHashes(row.leaves) ?? []
  const next = grow(tree, leaves)
  const matches = next.size === row.size && rootOf(next).equals(signed.root)
  if (!matches) return violationAt('leaves_changed', seq, { expected: hex(signed.root), found: hex(rootOf(next)) })
  if (!row.frontier.equals(packHashes(next.frontier)))
    return violationAt('checkpoint_changed', seq, {
      expected: hex(packHashes(next.frontier)),
      found: hex(row.frontier),
    })
  return { trusted: { tree: next, previous: noteHash(row.note) }, leaves }
}

/** Verifies a checkpoint on its own: its signed root must be the root of its frontier. */
export function trustedTreeAt(keys: readonly VerifyingKey[], row: CheckpointRow): TrustedTree | IntegrityViolation {
  const tree = storedTree(row.size, row.frontier)
  const signed = readNote(row.note)
  if (!isSigned(row.note, keys)) return violationAt('checkpoint_unsigned', row.size, { found: row.note })
  if (signed && !hasSignedTime(signed, row))
    return violationAt('checkpoint_changed', row.size, { expected: signed.time ?? null, found: row.time })
  if (tree && signed?.size === row.size && signed.root.equals(rootOf(tree)))
    return { tree, previous: noteHash(row.note) }
  return violationAt('checkpoint_changed', row.size, {
    expected: signed ? hex(signed.root) : null,
    found: hex(row.frontier),
  })
}

/** The oldest notes lack a time, so that the time of their checkpoints is not signed. */
const hasSignedTime = (signed: Checkpoint, row: CheckpointRow): boolean =>
  signed.time === undefined || signed.time === row.time

const hex = (bytes: Buffer): string => bytes.toString('hex')
