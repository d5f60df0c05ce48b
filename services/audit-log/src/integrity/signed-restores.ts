import type { SignedCheckpoint } from '../tree/add-leaves.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'
import type { LogVerifier } from './read-log.ts'
import { type CopiedEvent, signedContent, signedLeaves } from './signed-leaves.ts'

/** Event that records that an earlier state of the log was restored. Only `accept-restore` appends it. */
export const restoreAccepted = 'audit_log.restore_accepted'

/** What the log lost when an earlier state was restored, and who accepted that. */
export interface AcceptedRestore {
  /** The sequence number of the event that records it. */
  seq: number
  accepted_at: string
  accepted_by: string | null
  reason: string
  /** The newest checkpoint that the restored log and the one before have in common; 0 for none. */
  common_size: number
  /** The size and root of the log when the restore was accepted. */
  restored_size: number
  restored_root: string
  /** The newest checkpoint of the log before the restore that is known outside the database. */
  last_known_size: number
  last_known_root: string
}

interface RestoreEvent {
  action: string
  occurred_at: string
  actor: { id: string | null }
  metadata: Omit<AcceptedRestore, 'seq' | 'accepted_at' | 'accepted_by'>
}

const select = 'select seq::float8 as seq, content from audit.restores r order by r.seq'

/** Returns the restores that the log has accepted, oldest first, and a row that is not in the signed tree. */
export async function signedRestores(deps: LogVerifier) {
  const rows = await deps.db.execute<CopiedEvent>(select)
  const leafAt = signedLeaves(deps)
  const restores: AcceptedRestore[] = []
  let violation: IntegrityViolation | undefined
  for (const row of rows) {
    const event = await signedContent<RestoreEvent>(leafAt, row)
    if (event?.action === restoreAccepted) restores.push(restoreOf(row.seq, event))
    else violation ??= violationAt('restore_changed', row.seq, { found: row.content.toString() })
  }
  return { restores, violation }
}

function restoreOf(seq: number, { occurred_at, actor, metadata }: RestoreEvent): AcceptedRestore {
  return { seq, accepted_at: occurred_at, accepted_by: actor.id, ...metadata }
}

/** Returns whether a restore after a checkpoint explains that the log lacks it. */
export function isExplained(restores: readonly AcceptedRestore[], { size, restores: before }: SignedCheckpoint) {
  return restores
    .slice(before)
    .some(({ common_size, last_known_size }) => common_size < size && size <= last_known_size)
}
