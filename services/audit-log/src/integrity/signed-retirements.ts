import { leafHash } from '../tree/merkle-tree.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'
import type { LogVerifier } from './read-log.ts'
import { readRanges, type SeqRange } from './seq-ranges.ts'
import { signedLeaves } from './signed-leaves.ts'

/** Event that records which events a dropped month had. Only the retention command appends it. */
export const monthRetired = 'audit_log.month_retired'

/** A month that was exported and dropped, such as `2025-10`, according to an unverified row. */
interface RetirementRow {
  seq: number
  month: string
  content: Buffer
}

const select = `
  select seq::float8 as seq, to_char(month, 'YYYY-MM') as month, content from audit.retirements r order by r.seq`

/**
 * Returns the sequence numbers of events that were removed with their month.
 * Counts only rows whose content is a signed leaf: an inserted row cannot explain deleted events.
 */
export async function signedRetirements(deps: LogVerifier) {
  const rows = await deps.db.execute<RetirementRow>(select)
  const leafAt = signedLeaves(deps)
  const ranges: SeqRange[] = []
  let violation: IntegrityViolation | undefined
  for (const { seq, month, content } of rows) {
    const leaf = await leafAt(seq)
    const retired = leaf?.equals(leafHash(content)) ? retiredBy(content) : undefined
    // The signed content decides which events were removed, even if the month of the row is wrong.
    if (retired) ranges.push(...retired.ranges)
    if (retired?.month === month) continue
    const details = retired ? { expected: retired.month, found: month } : { found: content.toString() }
    violation ??= violationAt('retirement_changed', seq, details)
  }
  return { ranges, violation }
}

/** Returns the month and sequence numbers of a retirement event, or undefined for another event. */
function retiredBy(content: Buffer): { month: string; ranges: SeqRange[] } | undefined {
  const { action, metadata } = JSON.parse(content.toString()) as {
    action: string
    metadata: { month: string; seqs: string }
  }
  return action === monthRetired ? { month: metadata.month, ranges: readRanges(metadata.seqs) } : undefined
}
