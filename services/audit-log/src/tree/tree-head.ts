import type { Reader } from '@cobro/database'
import { noteHash, readNote } from './checkpoint-note.ts'
import { rootOf, storedTree, type Tree } from './merkle-tree.ts'

/** The newest state of the tree, to which the next batch is added. */
export interface TreeHead extends Tree {
  /** The hash of the newest checkpoint. */
  readonly previous: Buffer
  /** The newest checkpoint; empty while there is none. */
  readonly note: string
  /** The last sequence number that predates the tree. Those beyond `size` are not hashed yet. */
  readonly placed: number
  /** How many restores of an earlier state the log has accepted. */
  readonly restores: number
}

/** The tree was tampered with. Nothing is added to it, or new signatures would cover the change. */
export class BrokenTree extends Error {
  override name = 'BrokenTree'
}

export const isTreeBroken = (error: unknown): boolean => error instanceof BrokenTree

const select = `
  select size::float8 as size, frontier, previous, placed::float8 as placed,
    (select count(*) from audit.restores)::float8 as restores
  from audit.tree_head`

/** Locks and reads the head until the transaction ends, so that batches are added one after another. */
export const lockHead = (tx: Reader): Promise<TreeHead> => findHead(tx, `${select} for update`)

/** Reads the head without waiting for a batch that is being added. */
export const readHead = (em: Reader): Promise<TreeHead> => findHead(em, select)

/** Reads the checkpoint in a second query, as one that waited for the lock would miss newer checkpoints. */
async function findHead(em: Reader, query: string): Promise<TreeHead> {
  const [head] = await em.execute<(Omit<TreeHead, 'frontier' | 'note'> & { frontier: Buffer })[]>(query)
  if (!head) throw new BrokenTree('The head of the log is missing.')
  const { size, frontier, previous, placed, restores } = head
  const tree = storedTree(size, frontier)
  const note = await noteAt(em, size)
  if (!tree || !matches(tree, previous, note))
    throw new BrokenTree(
      `The head of the log, at ${size} events, does not match its newest checkpoint: verify the log.`,
    )
  return { ...tree, previous, note: note ?? '', placed, restores }
}

/** Returns the log's checkpoint of this size, if it has one. */
export async function noteAt(em: Reader, size: number): Promise<string | undefined> {
  const [found] = await em.execute<{ note: string }[]>('select note from audit.checkpoints where size = ?', [size])
  return found?.note
}

function matches(tree: Tree, previous: Buffer, note = ''): boolean {
  if (!noteHash(note).equals(previous)) return false
  const checkpoint = readNote(note)
  if (!checkpoint) return tree.size === 0 && note === ''
  return checkpoint.size === tree.size && checkpoint.root.equals(rootOf(tree))
}
