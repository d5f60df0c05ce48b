import type { Caller } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { meter } from '@cobro/runtime'
import { checkLedger } from './check-ledger.ts'

const faults = meter.createCounter('cobro.ledger.faults', {
  description: 'Checks of the ledger that found a figure which does not follow from the entries',
})
// A series that begins with its first fault would show no increase.
faults.add(0)

/** Checks the ledger, and counts where it is not right, for who is to be woken by it. */
export async function measuredCheck(db: Database, caller?: Caller): ReturnType<typeof checkLedger> {
  const checked = await checkLedger(db, caller)
  if (!checked.ok) faults.add(1)
  return checked
}
