import type { VerifyingKey } from '../tree/checkpoint-keys.ts'
import type { LogWriter } from '../tree/log-writer.ts'
import { isTreeBroken, readHead } from '../tree/tree-head.ts'
import { isExplained, signedRestores } from './signed-restores.ts'

interface FollowDeps extends Pick<LogWriter, 'db' | 'witness'> {
  keys: readonly VerifyingKey[]
}

/**
 * Stores the newest checkpoint of the log outside the database, also one that another replica has
 * signed. Throws a `BrokenTree` if the log lacks the one that is stored there, unless a restore has been accepted.
 */
export async function followLog({ db, keys, witness }: FollowDeps): Promise<void> {
  // Batches of this replica may be stored while the head is read, which lacks their checkpoints.
  const known = witness.newest()
  const head = await db.read(async em => {
    const head = await readHead(em)
    if (known === undefined) return head
    await witness.requireIn(em, head, known).catch(async error => {
      const isRestored = isExplained((await signedRestores({ db, keys })).restores, known)
      if (!isTreeBroken(error) || !isRestored) throw error
    })
    return head
  })
  const { size = 0, restores = 0 } = witness.newest() ?? {}
  if (head.size > size || head.restores > restores)
    await witness.store({ size: head.size, note: head.note, restores: head.restores })
}
