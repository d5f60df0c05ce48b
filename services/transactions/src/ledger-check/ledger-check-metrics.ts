import type { Caller } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { meter } from '@cobro/runtime'
import { checkLedger } from './check-ledger.ts'

const failedChecks = meter.createCounter('cobro_ledger_failed_checks_total', {
  description: 'Ledger checks that found a discrepancy',
})
// A series that starts with its first failure shows no increase, so the counter starts at zero.
failedChecks.add(0)

/** Checks the ledger and counts a failed check. An alert on the counter pages the on-call engineer. */
export async function measuredLedgerCheck(db: Database, caller?: Caller): ReturnType<typeof checkLedger> {
  const checked = await checkLedger(db, caller)
  if (!checked.ok) failedChecks.add(1)
  return checked
}
