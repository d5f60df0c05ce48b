import type { Reader } from '@cobro/database'
import { noteHash, readNote } from './checkpoint-note.ts'
import { rootOf, storedTree, type Tree } from './merkle-tree.ts'

/** The newest state of the tree, to which the next batch is added. */
export interface TreeHead extends Tree {
  /** The hash of the newest checkpoint. */
  readonly previous: Buffer
  /** The last sequence number that predates the tree. Those beyond `size` are not hashed yet. */
  readonly placed: number
}

/** The tree was tampered with. Nothing is added to it, or new signatures would cover the change. */
export class BrokenTree extends Error {
  override name = 'BrokenTree'
}

export const isTreeBroken = (error: unknown): boolean => error instanceof BrokenTree

/**
 * Locks and reads the head until the transaction ends, so that batches are added one after another.
 * Reads the checkpoint in a second statement, as one that waited for the lock would miss newer checkpoints.
 */
export async function lockHead(tx: Reader): Promise<TreeHead> {
  const [head] = await tx.execute<{ size: number; frontier: Buffer; previous: Buffer; placed: number }[]>(
    'select size::float8 as size, frontier, previous, placed::float8 as placed from audit.tree_head for update',
  )
  if (!head) throw new BrokenTree('The head of the log is missing.')
  const { size, frontier, previous, placed } = head
  const tree = storedTree(size, frontier)
  const [newest] = await tx.execute<{ note: string }[]>('select note from audit.checkpoints where size = ?', [size])
  if (!tree || !matches(tree, previous, newest?.note))
    throw new BrokenTree(
      `The head of the log, at ${size} events, does not match its newest checkpoint: verify the log.`,
    )
  return { ...tree, previous, placed }
}

function matches(tree: Tree, previous: Buffer, note = ''): boolean {
  if (!noteHash(note).equals(previous)) return false
  const checkpoint = readNote(note)
  if (!checkpoint) return tree.size === 0 && note === ''
  return checkpoint.size === tree.size && checkpoint.root.equals(rootOf(tree))
}
