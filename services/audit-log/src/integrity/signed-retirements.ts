import type { Database } from '@cobro/database'
import { leafHash } from '../tree/merkle-tree.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'
import type { LogVerifier } from './read-log.ts'
import { readRanges, type SeqRange } from './seq-ranges.ts'
import { signedLeaves } from './signed-leaves.ts'

/** The event that says which events go with their month. Only the retention command appends one. */
export const monthRetired = 'audit_log.month_retired'

/** A month whose events were exported and dropped, as the row tells it and as the log bears out or not. */
interface RetirementRow {
  seq: string
  /** As `2025-10`. */
  month: string
  content: Buffer
}

/**
 * Reads which events are no longer here because their month went. What a row says counts only if it is a leaf of the signed
 * tree itself: whoever takes events away cannot excuse it by a row.
 */
export async function signedRetirements(
  deps: LogVerifier,
): Promise<{ ranges: SeqRange[]; fault: IntegrityViolation | undefined }> {
  const rows = await allRetirements(deps.db)
  const leafAt = signedLeaves(deps)
  const ranges: SeqRange[] = []
  let fault: IntegrityViolation | undefined
  for (const { seq, month, content } of rows) {
    const leaf = await leafAt(Number(seq))
    const retired = leaf?.equals(leafHash(content)) ? retiredBy(content) : undefined
    // The places are excused by what was signed, whatever month stands beside it.
    if (retired) ranges.push(...retired.ranges)
    if (retired?.month === month) continue
    const details = retired ? { expected: retired.month, found: month } : { found: content.toString() }
    fault ??= violationAt('retirement_changed', Number(seq), details)
  }
  return { ranges, fault }
}

/** What a retirement's event says: its month, and the places of the events; undefined where the event is of another kind. */
function retiredBy(content: Buffer): { month: string; ranges: SeqRange[] } | undefined {
  const { action, metadata } = JSON.parse(content.toString()) as {
    action: string
    metadata: { month: string; seqs: string }
  }
  return action === monthRetired ? { month: metadata.month, ranges: readRanges(metadata.seqs) } : undefined
}

const select = `select seq, to_char(month, 'YYYY-MM') as month, content from audit.retirements order by seq`
const allRetirements = (db: Database) => db.read(em => em.execute<RetirementRow[]>(select))
