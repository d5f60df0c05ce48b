import { type IntegrityViolation, violationAt } from './integrity-violation.ts'
import type { LogVerifier } from './read-log.ts'
import { readRanges, type SeqRange } from './seq-ranges.ts'
import { type CopiedEvent, signedContent, signedLeaves } from './signed-leaves.ts'

/** Event that records which events a dropped month had. Only the retention command appends it. */
export const monthRetired = 'audit_log.month_retired'

/** A month that was exported and dropped, such as `2025-10`, according to an unverified row. */
interface RetirementRow extends CopiedEvent {
  month: string
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
  for (const row of rows) {
    const { seq, month, content } = row
    const retired = retiredBy(await signedContent<RetirementEvent>(leafAt, row))
    // The signed content decides which events were removed, even if the month of the row is wrong.
    if (retired) ranges.push(...retired.ranges)
    if (retired?.month === month) continue
    const details = retired ? { expected: retired.month, found: month } : { found: content.toString() }
    violation ??= violationAt('retirement_changed', seq, details)
  }
  return { ranges, violation }
}

interface RetirementEvent {
  action: string
  metadata: { month: string; seqs: string }
}

/** Returns the month and sequence numbers of a retirement event, or undefined for another event. */
function retiredBy(event: RetirementEvent | undefined): { month: string; ranges: SeqRange[] } | undefined {
  if (event?.action !== monthRetired) return undefined
  return { month: event.metadata.month, ranges: readRanges(event.metadata.seqs) }
}
