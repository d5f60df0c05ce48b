import type { Tx } from '@cobro/database'
import type { SigningKey } from './checkpoint-keys.ts'
import { noteHash, signedNote } from './checkpoint-note.ts'
import { grow, packHashes, rootOf } from './merkle-tree.ts'
import type { TreeHead } from './tree-head.ts'

/** A checkpoint as stored outside the database. */
export interface SignedCheckpoint {
  size: number
  note: string
  /** How many restores of an earlier state the log had accepted when it was signed. */
  restores: number
}

/** Stores the checkpoint and moves the head: one statement, since everything that appends waits for the head. */
const moveHead = `
  with checkpoint as (
    insert into audit.checkpoints (size, leaves, frontier, note, created_at) values (?, ?, ?, ?, ?)
    returning size, frontier
  )
  update audit.tree_head head set size = checkpoint.size, frontier = checkpoint.frontier, previous = ?
  from checkpoint where head.size = ? returning head.size`

/** Adds leaves to the tree, signs a checkpoint and updates the head. The caller has locked it. */
export async function addLeaves(tx: Tx, key: SigningKey, head: TreeHead, leaves: Buffer[]): Promise<SignedCheckpoint> {
  const tree = grow(head, leaves)
  const { size } = tree
  const time = new Date().toISOString()
  const note = signedNote({ size, root: rootOf(tree), previous: head.previous, time }, key)
  const moved = await tx.execute(moveHead, [
    ...[size, packHashes(leaves), packHashes(tree.frontier), note, time],
    ...[noteHash(note), head.size],
  ])
  if (moved.length !== 1) throw new Error('The head of the log was updated without its lock.')
  return { size, note, restores: head.restores }
}
