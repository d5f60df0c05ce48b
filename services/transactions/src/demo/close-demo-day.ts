import type { DemoTerms } from '@cobro/contracts/demo'
import type { Database, Tx } from '@cobro/database'
import { BalanceSnapshotEntity } from '../balance-snapshots/balance-snapshot-entity.ts'
import { takeSnapshot } from '../balance-snapshots/take-snapshot.ts'
import type { LedgerWork } from '../ledger/merchant-ledgers.ts'
import { inLedgerBatches } from '../maturity/ledger-batches.ts'
import { maturePositions } from '../maturity/mature-positions.ts'
import { releaseHolds } from '../maturity/release-holds.ts'
import { createSettlement } from '../settlements/create-settlement.ts'
import { SettlementEntity } from '../settlements/settlement-entity.ts'
import { periodClosedBy } from '../settlements/settlement-periods.ts'
import { transitionSettlement } from '../settlements/transition-settlement.ts'
import { addDays } from '../time/utc-days.ts'
import { unpublished } from './unpublished.ts'

/** After how many days a settlement is paid out. */
const payoutDays = 2

/**
 * Does for a past day of a locked ledger what the daily run would have done ten minutes after it, and pays out the settlement that
 * was due. Repeats it for a day that was closed before some of its payments were loaded.
 */
export async function closeDemoDay({ tx, ledger, day }: LedgerWork & { day: string }, payouts: DemoTerms['payouts']) {
  const now = new Date(`${addDays(day, 1)}T00:10:00.000Z`)
  const inThisTransaction = (work => work(tx, unpublished, unsendable)) as Database['write']
  for (const processBatch of [maturePositions, releaseHolds])
    await inLedgerBatches(inThisTransaction, { ledger, day, now }, processBatch, () => false)
  const due = { ...ledger, period_end: addDays(day, -payoutDays), status: 'pending' as const }
  const unpaid = await tx.findOne(SettlementEntity, due)
  const paidAt = new Date(`${day}T16:00:00.000Z`)
  if (unpaid) await transitionSettlement({ tx, emit: unpublished, now: paidAt }, unpaid, 'pay')
  await settle({ tx, ledger }, { day, now, weekday: payouts.weekday })
  await tx.flush()
  await tx.nativeDelete(BalanceSnapshotEntity, { ...ledger, day })
  await takeSnapshot({ tx, emit: unpublished, ledger, day })
  await tx.flush()
}

/** Whether the daily run or an earlier load has closed a day. */
export async function isClosed(tx: Tx, { ledger, day }: Omit<LedgerWork, 'tx'> & { day: string }): Promise<boolean> {
  return (await tx.count(BalanceSnapshotEntity, { ...ledger, day })) > 0
}

async function settle({ tx, ledger }: LedgerWork, { day, now, weekday }: { day: string; now: Date; weekday: number }) {
  const period = periodClosedBy(day, { frequency: 'weekly', weekday, month_day: null })
  if (!period || (await tx.findOne(SettlementEntity, { ...ledger, ...period }))) return
  await createSettlement({ tx, emit: unpublished, ledger, ...period, minimum: 0n, reference: null, now })
}

const unsendable = () => {
  throw new Error('A demo load sends no command.')
}
