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

interface HeadRow {
  size: string
  frontier: Buffer
  previous: Buffer
  placed: string
  note: string | null
}

const select = `
  select h.size, h.frontier, h.previous, h.placed, c.note
  from audit.tree_head h left join audit.checkpoints c on c.size = h.size`

/** Reads the end of the tree and holds it until the transaction ends, so that batches are added one after another. */
export const lockHead = async (tx: Reader): Promise<TreeHead> =>
  headOf(await tx.execute<HeadRow[]>(`${select} for update of h`))

/** Reads the end of the tree. */
export const readHead = async (em: Reader): Promise<TreeHead> => headOf(await em.execute<HeadRow[]>(select))

/** A tree that somebody touched is not added to: what followed would be signed as if nothing had been. */
class BrokenTree extends Error {
  override name = 'BrokenTree'
}

/** Tells whether nothing can be added to the log before somebody has looked at it. */
export const isTreeBroken = (error: unknown): boolean => error instanceof BrokenTree

function headOf([row]: HeadRow[]): TreeHead {
  if (!row) throw new BrokenTree('The end of the log is missing.')
  const size = Number(row.size)
  const tree = storedTree(size, row.frontier)
  const checkpoint = readNote(row.note ?? '')
  const isNew = size === 0 && row.note === null
  const fits =
    tree &&
    noteHash(row.note ?? '').equals(row.previous) &&
    (isNew || (checkpoint?.size === size && checkpoint.root.equals(rootOf(tree))))
  if (!fits)
    throw new BrokenTree(`The end of the log, at ${size} events, does not fit its newest checkpoint: verify the log.`)
  return { ...tree, previous: row.previous, placed: Number(row.placed) }
}
