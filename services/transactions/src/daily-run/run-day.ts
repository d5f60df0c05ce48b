import type { Database } from '@cobro/database'
import { inBackgroundCall, type Logger, runConcurrently } from '@cobro/runtime'
import { BalanceSnapshotEntity } from '../balance-snapshots/balance-snapshot-entity.ts'
import { takeSnapshot } from '../balance-snapshots/take-snapshot.ts'
import { listMerchantLedgers, lockMerchantLedger, type MerchantLedger } from '../ledger/merchant-ledgers.ts'
import { inLedgerBatches } from '../maturity/ledger-batches.ts'
import { maturePositions } from '../maturity/mature-positions.ts'
import { releaseHolds } from '../maturity/release-holds.ts'
import { SettlementConfigEntity } from '../settlement-config/settlement-config-entity.ts'
import { createSettlement } from '../settlements/create-settlement.ts'
import { periodClosedBy } from '../settlements/settlement-periods.ts'

export interface DailyRunDeps {
  db: Database
  logger: Logger
  /** Interrupts the run; the next run of the day does the rest. */
  stopping?: AbortSignal
}

/**
 * Does the work at the end of a UTC day for every merchant ledger: matures payments, releases
 * holds, settles the periods that the day closes, and takes balance snapshots. Every step is idempotent, so a day may
 * be run repeatedly, concurrently and after an interruption. Throws after all ledgers were tried when some failed.
 */
export async function runDay(deps: DailyRunDeps, day: string): Promise<{ ledgers: number }> {
  const ledgers = await listMerchantLedgers(deps.db)
  const failed = await runLedgers(deps, day, ledgers)
  if (failed.length > 0) throw new Error(`The daily run of ${day} failed for ${failed.length} ledgers.`)
  return { ledgers: ledgers.length }
}

/** Runs a day for some ledgers. Logs failures, and returns the ledgers that did not finish. */
export async function runLedgers(
  deps: DailyRunDeps,
  day: string,
  ledgers: readonly MerchantLedger[],
): Promise<MerchantLedger[]> {
  const { logger } = deps
  const unfinished = new Set(ledgers)
  await runConcurrently(ledgers, { concurrency: 2, name: `daily run of ${day}`, logger }, ledger =>
    inBackgroundCall('daily run of a ledger', ledger, async () => {
      if (await runLedger(deps, ledger, day)) unfinished.delete(ledger)
    }),
  )
  return [...unfinished]
}

/** Returns whether the run was finished. */
async function runLedger({ db, stopping }: DailyRunDeps, ledger: MerchantLedger, day: string): Promise<boolean> {
  for (const processBatch of [maturePositions, releaseHolds])
    if (!(await inLedgerBatches(db.write, { ledger, day }, processBatch, () => stopping?.aborted === true)))
      return false
  await db.write(async (tx, emit) => {
    await lockMerchantLedger({ tx, ledger })
    const config = await tx.findOne(SettlementConfigEntity, { ...ledger, active: true })
    const period = config && periodClosedBy(day, config)
    if (config && period) {
      const minimum = BigInt(config.minimum_cents)
      await createSettlement({ tx, emit, ledger, ...period, minimum, reference: null, now: new Date() })
      await tx.flush()
    }
    if (!(await tx.findOne(BalanceSnapshotEntity, { ...ledger, day }))) await takeSnapshot({ tx, emit, ledger, day })
  })
  return true
}
