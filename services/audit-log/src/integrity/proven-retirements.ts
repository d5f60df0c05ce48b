import type { Database } from '@cobro/database'
import { leafHash } from '../tree/merkle-tree.ts'
import { faultAt, type IntegrityFault } from './integrity-fault.ts'
import { provenLeaves } from './proven-leaves.ts'
import { readRanges, type SeqRange } from './seq-ranges.ts'
import type { Verifying } from './verify-log.ts'

/** The event that says which events go with their month. Only the retention command appends one. */
export const monthRetired = 'audit_log.month_retired'

/** A month whose events were exported and dropped, as the row tells it and as the log bears out or not. */
interface RetirementRow {
  seq: string
  content: Buffer
}

/**
 * Reads which events are no longer here because their month went. What a row says counts only if it is a leaf of the signed
 * tree itself: whoever takes events away cannot excuse it by a row.
 */
export async function provenRetirements(
  deps: Verifying,
): Promise<{ ranges: SeqRange[]; fault: IntegrityFault | undefined }> {
  const rows = await allRetirements(deps.db)
  const leafAt = provenLeaves(deps)
  const ranges: SeqRange[] = []
  let fault: IntegrityFault | undefined
  for (const { seq, content } of rows) {
    const leaf = await leafAt(Number(seq))
    const retired = leaf?.equals(leafHash(content)) ? retiredBy(content) : undefined
    if (retired) ranges.push(...retired)
    else fault ??= faultAt('retirement_changed', Number(seq), { found: content.toString() })
  }
  return { ranges, fault }
}

/** The places of the events that a retirement's event names; undefined where the event is of another kind. */
function retiredBy(content: Buffer): SeqRange[] | undefined {
  const { action, metadata } = JSON.parse(content.toString()) as { action: string; metadata: { seqs: string } }
  return action === monthRetired ? readRanges(metadata.seqs) : undefined
}

const allRetirements = (db: Database) =>
  db.read(em => em.execute<RetirementRow[]>('select seq, content from audit.retirements order by seq'))
