import type { PayableId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { meter } from '@cobro/runtime'
import { openPayableStatuses, payableEntity } from '../payables/payable.ts'
import type { ReadReport, Violation } from './read-policy-reports.ts'
import type { ViolationLimits } from './violation-limits.ts'

const reportCount = meter.createCounter('cobro_csp_reports_total', {
  description: "Reports of violations of the payer's page's policy, by outcome",
})
const outcomes = ['recorded', 'repeated', 'over_limit', 'extension', 'rejected'] as const

// A series that starts with its first report shows no increase, so each outcome starts at zero.
for (const outcome of outcomes) reportCount.add(0, { outcome })

/** Emits `hosted_page.csp_violated` for each violation that the limits admit, and counts every report. */
export async function recordPolicyReports(
  { db, limits }: { db: Database; limits: ViolationLimits },
  { reports, address }: { reports: readonly ReadReport[]; address: string | undefined },
): Promise<void> {
  const admitted: Violation[] = []
  for (const report of reports) {
    const outcome = typeof report === 'string' ? report : await limits.admit(report, address, Date.now())
    if (typeof report !== 'string' && outcome === 'recorded') admitted.push(report)
    else reportCount.add(1, { outcome })
  }
  if (admitted.length === 0) return
  try {
    await db.write(async (_tx, emit) => {
      for (const violation of admitted) emit('hosted_page.csp_violated', violation)
    })
  } catch (error) {
    for (const violation of admitted) limits.forget(violation)
    throw error
  }
  reportCount.add(admitted.length, { outcome: 'recorded' })
}

/** Returns whether a session or link exists and can still be paid. */
export async function isOpenPayable(db: Database, id: PayableId): Promise<boolean> {
  return db.read(async em => (await em.count(payableEntity(id), { id, status: { $in: [...openPayableStatuses] } })) > 0)
}
