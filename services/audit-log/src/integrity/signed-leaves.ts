import { checkCheckpoint, emptyTrustedTree, trustedTreeAt } from './check-checkpoint.ts'
import type { LogVerifier } from './read-log.ts'
import { checkpointOver, checkpointUpTo } from './read-log.ts'

/**
 * Gives the hash of the event at a place as the signed tree has it, or undefined where nothing that is signed tells. Quick
 * where places of one batch follow one another.
 */
export function signedLeaves({ db, keys }: LogVerifier): (seq: number) => Promise<Buffer | undefined> {
  let known: { first: number; leaves: readonly Buffer[] } = { first: 1, leaves: [] }
  const batchOver = async (seq: number): Promise<typeof known> => {
    const none = { first: seq, leaves: [] }
    const row = await checkpointOver(db, seq)
    const before = row && (await checkpointUpTo(db, row.size - 1))
    const start = before ? trustedTreeAt(keys, before) : emptyTrustedTree
    if (!row || 'kind' in start) return none
    const checked = checkCheckpoint(keys, start, row)
    return 'kind' in checked ? none : { first: start.tree.size + 1, leaves: checked.leaves }
  }
  return async seq => {
    if (known.leaves[seq - known.first] === undefined) known = await batchOver(seq)
    return known.leaves[seq - known.first]
  }
}
