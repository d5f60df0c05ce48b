import type { Reader } from '@cobro/database'
import { noteHash, readNote } from './checkpoint-note.ts'
import { rootOf, storedTree, type Tree } from './merkle-tree.ts'

/** The end of the tree, to which the next batch is added. */
export interface TreeHead extends Tree {
  /** The hash of the newest checkpoint. */
  readonly previous: Buffer
  /** How far rows from before the tree were placed; those beyond the size still wait to be hashed. */
  readonly placed: number
}

/** A tree that somebody touched is not added to: what followed would be signed as if nothing had been. */
export class BrokenTree extends Error {
  override name = 'BrokenTree'
}

/** Tells whether nothing can be added to the log before somebody has looked at it. */
export const isTreeBroken = (error: unknown): boolean => error instanceof BrokenTree

/**
 * Reads the end of the tree and holds it until the transaction ends, so that batches are added one after another. Two
 * statements: one that waited for the end would see it as it is, but the checkpoints as they were before it waited.
 */
export async function lockHead(tx: Reader): Promise<TreeHead> {
  const [head] = await tx.execute<{ size: string; frontier: Buffer; previous: Buffer; placed: string }[]>(
    'select size, frontier, previous, placed from audit.tree_head for update',
  )
  if (!head) throw new BrokenTree('The end of the log is missing.')
  const size = Number(head.size)
  const tree = storedTree(size, head.frontier)
  const [newest] = await tx.execute<{ note: string }[]>('select note from audit.checkpoints where size = ?', [size])
  if (!tree || !fits(tree, head.previous, newest?.note))
    throw new BrokenTree(`The end of the log, at ${size} events, does not fit its newest checkpoint: verify the log.`)
  return { ...tree, previous: head.previous, placed: Number(head.placed) }
}

function fits(tree: Tree, previous: Buffer, note = ''): boolean {
  if (!noteHash(note).equals(previous)) return false
  const told = readNote(note)
  return told ? told.size === tree.size && told.root.equals(rootOf(tree)) : tree.size === 0 && note === ''
}
