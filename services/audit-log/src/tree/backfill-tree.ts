import { addLeaves } from './add-leaves.ts'
import type { LogWriter } from './log-writer.ts'
import { leafHash } from './merkle-tree.ts'
import { BrokenTree, lockHead } from './tree-head.ts'

const maxBatch = 1_000
const select = 'select content from audit.events where seq > ? and seq <= ? order by seq'

/**
 * Takes the rows that are older than the tree into it, in the order in which the migration placed them. Cheap where nothing
 * waits; any number of replicas may call it.
 */
export async function backfillTree({ db, key, witness }: LogWriter): Promise<void> {
  for (let more = true; more; ) {
    const checkpoint = await db.write(async tx => {
      const head = await lockHead(tx)
      if (head.size >= head.placed) return undefined
      const until = Math.min(head.size + maxBatch, head.placed)
      const rows = await tx.execute<{ content: Buffer }[]>(select, [head.size, until])
      if (rows.length !== until - head.size)
        throw new BrokenTree(`Rows from before the tree are missing near ${until}.`)
      const leaves = rows.map(({ content }) => leafHash(content))
      return addLeaves(tx, key, head, leaves)
    })
    if (checkpoint) await witness(checkpoint)
    more = checkpoint !== undefined
  }
}
