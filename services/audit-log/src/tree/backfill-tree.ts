import { addLeaves } from './add-leaves.ts'
import type { LogWriter } from './log-writer.ts'
import { leafHash } from './merkle-tree.ts'
import { BrokenTree, lockHead } from './tree-head.ts'

const maxBatch = 1_000
const select = 'select content from audit.events where seq > ? and seq <= ? order by seq'

/**
 * Adds the events that predate the tree to it, in the order of the sequence numbers that the
 * migration assigned. Cheap if there are none. Any number of replicas can call it.
 */
export async function backfillTree({ db, key, witness }: LogWriter): Promise<void> {
  for (let more = true; more; ) {
    const checkpoint = await db.write(async tx => {
      const head = await lockHead(tx)
      await witness.requireIn(tx, head)
      if (head.size >= head.placed) return undefined
      const until = Math.min(head.size + maxBatch, head.placed)
      const rows = await tx.execute<{ content: Buffer }[]>(select, [head.size, until])
      if (rows.length !== until - head.size)
        throw new BrokenTree(`Events that predate the tree are missing near ${until}.`)
      const leaves = rows.map(({ content }) => leafHash(content))
      return addLeaves(tx, key, head, leaves)
    })
    if (checkpoint) await witness.store(checkpoint)
    more = checkpoint !== undefined
  }
}
