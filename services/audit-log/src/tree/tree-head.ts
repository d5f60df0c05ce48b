import type { Reader } from '@cobro/database'
import { noteHash, readNote } from './checkpoint-note.ts'
import { rootOf, storedTree, type Tree } from './merkle-tree.ts'

/** The newest state of the tree, to which the next batch is added. */
export interface TreeHead extends Tree {
  /** The hash of the newest checkpoint. */
  readonly previous: Buffer
  /** The highest sequence number of the events that predate the tree. Those beyond `size` are not hashed yet. */
  readonly placed: number
}

/** The tree was tampered with. Nothing is added to it, or new signatures would cover the change. */
export class BrokenTree extends Error {
  override name = 'BrokenTree'
}

export const isTreeBroken = (error: unknown): boolean => error instanceof BrokenTree

/**
 * Reads and locks the head until the end of the transaction, so that batches are added one after another. Reads the checkpoint
 * in a second statement: a single one that waited for the lock would see the checkpoints from before its wait.
 */
export async function lockHead(tx: Reader): Promise<TreeHead> {
  const [head] = await tx.execute<{ size: string; frontier: Buffer; previous: Buffer; placed: string }[]>(
    'select size, frontier, previous, placed from audit.tree_head for update',
  )
  if (!head) throw new BrokenTree('The head of the log is missing.')
  const size = Number(head.size)
  const tree = storedTree(size, head.frontier)
  const [newest] = await tx.execute<{ note: string }[]>('select note from audit.checkpoints where size = ?', [size])
  if (!tree || !matches(tree, head.previous, newest?.note))
    throw new BrokenTree(
      `The head of the log, at ${size} events, does not match its newest checkpoint: verify the log.`,
    )
  return { ...tree, previous: head.previous, placed: Number(head.placed) }
}

function matches(tree: Tree, previous: Buffer, note = ''): boolean {
  if (!noteHash(note).equals(previous)) return false
  const checkpoint = readNote(note)
  if (!checkpoint) return tree.size === 0 && note === ''
  return checkpoint.size === tree.size && checkpoint.root.equals(rootOf(tree))
}
