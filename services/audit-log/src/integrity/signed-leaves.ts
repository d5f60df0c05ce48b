import { leafHash } from '../tree/merkle-tree.ts'
import { checkCheckpoint, emptyTrustedTree, trustedTreeAt } from './check-checkpoint.ts'
import { checkpointOver, checkpointUpTo, type LogVerifier } from './read-log.ts'

/** A copy of an event that the log has, or had before its month was retired. */
export interface CopiedEvent {
  seq: number
  content: Buffer
}

/** Returns the parsed content of a copied event; undefined if the content is not a signed leaf of the tree. */
export async function signedContent<T>(
  leafAt: (seq: number) => Promise<Buffer | undefined>,
  { seq, content }: CopiedEvent,
): Promise<T | undefined> {
  const leaf = await leafAt(seq)
  return leaf?.equals(leafHash(content)) ? (JSON.parse(content.toString()) as T) : undefined
}

/**
 * Returns a function that looks up the leaf of an event, or undefined if no valid checkpoint
 * covers it. Fast for consecutive sequence numbers.
 */
export function signedLeaves({ db, keys }: LogVerifier): (seq: number) => Promise<Buffer | undefined> {
  let batch: { first: number; leaves: readonly Buffer[] } = { first: 1, leaves: [] }
  const loadBatch = async (seq: number): Promise<typeof batch> => {
    const none = { first: seq, leaves: [] }
    const row = await checkpointOver(db, seq)
    const before = row && (await checkpointUpTo(db, row.size - 1))
    const start = before ? trustedTreeAt(keys, before) : emptyTrustedTree
    if (!row || 'kind' in start) return none
    const checked = checkCheckpoint(keys, start, row)
    return 'kind' in checked ? none : { first: start.tree.size + 1, leaves: checked.leaves }
  }
  return async seq => {
    if (batch.leaves[seq - batch.first] === undefined) batch = await loadBatch(seq)
    return batch.leaves[seq - batch.first]
  }
}
