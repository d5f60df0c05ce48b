import { message, newId } from '@cobro/contracts'
import { appendInTransaction } from '../events/append-records.ts'
import { type AuditRecord, auditRecord } from '../events/audit-record.ts'
import type { SignedCheckpoint } from '../tree/add-leaves.ts'
import { readNote } from '../tree/checkpoint-note.ts'
import type { LogWriter } from '../tree/log-writer.ts'
import { rootOf } from '../tree/merkle-tree.ts'
import { lockHead } from '../tree/tree-head.ts'
import { comparedCheckpoints } from './check-witness-file.ts'
import type { LogVerifier } from './read-log.ts'
import { restoreAccepted } from './signed-restores.ts'

/** What the log lacks of what checkpoint files have. */
interface Loss {
  common_size: number
  lastKnown: SignedCheckpoint
}

interface Acceptance {
  reason: string
  /** The name of the person who accepts the restore. */
  by: string
}

/**
 * Appends a signed event that an earlier state of the log was restored, which lets the log continue
 * although it lacks checkpoints in `files`. Throws if the log has all of them.
 */
export async function acceptRestore(
  { db, key, keys }: Pick<LogWriter, 'key'> & LogVerifier,
  files: readonly string[],
  { reason, by }: Acceptance,
): Promise<{ restored_size: number; last_known_size: number }> {
  const loss = await findLoss({ db, keys }, files)
  if (loss === undefined) throw new Error('The log has every checkpoint of the files: there is no restore to accept.')
  const { common_size, lastKnown } = loss
  return db.write(async tx => {
    const head = await lockHead(tx)
    const metadata = {
      ...{ reason, common_size },
      ...{ restored_size: head.size, restored_root: rootOf(head).toString('base64') },
      ...{ last_known_size: lastKnown.size, last_known_root: readNote(lastKnown.note)?.root.toString('base64') },
    }
    const record = acceptanceRecord(by, metadata)
    await appendInTransaction(tx, { key }, record)
    await tx.execute('insert into audit.restores (seq, content) select seq, content from audit.events where id = ?', [
      record.id,
    ])
    return { restored_size: head.size, last_known_size: lastKnown.size }
  })
}

/** Compares files with the log until the first checkpoint that it lacks, and finds the newest of those. */
async function findLoss(deps: LogVerifier, files: readonly string[]): Promise<Loss | undefined> {
  let loss: Loss | undefined
  for (const file of files) {
    let common_size = 0
    let isCommon = true
    for await (const { checkpoint, state } of comparedCheckpoints(deps, file)) {
      if (state === 'known' && isCommon) common_size = Math.max(common_size, checkpoint.size)
      if (state !== 'lost') continue
      isCommon = false
      const lastKnown = loss && loss.lastKnown.size > checkpoint.size ? loss.lastKnown : checkpoint
      loss = { common_size: Math.min(common_size, loss?.common_size ?? common_size), lastKnown }
    }
  }
  return loss
}

function acceptanceRecord(by: string, metadata: Record<string, unknown>): AuditRecord {
  const event = { id: newId('evt'), name: restoreAccepted, occurred_at: new Date().toISOString(), data: {} }
  const record = auditRecord(message.parse({ ...event, actor: { type: 'command', id: by } }), null)
  if (!record) throw new Error(`${restoreAccepted} has no audit category.`)
  return { ...record, metadata }
}
