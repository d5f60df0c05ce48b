import type { Database } from '@cobro/database'
import { listMerchantLedgers, type MerchantLedger } from '../ledger/merchant-ledgers.ts'
import { daysToRun } from './daily-schedule.ts'
import { recordFailedRuns, retryFailedRuns } from './retry-failed-runs.ts'
import { type DailyRunDeps, runLedgers } from './run-day.ts'

/** How long a replica may take for a day before another replica claims it. */
const claimMinutes = 15

/**
 * Runs the due days that no other replica has claimed. An interrupted run releases its day.
 * A failed ledger is retried by itself and delays neither other ledgers nor later days: days may be run in any order.
 */
export async function runDueDays(deps: DailyRunDeps): Promise<void> {
  const { db, logger, stopping } = deps
  for (const day of daysToRun(await lastFinishedDay(db), new Date())) {
    if (!(await claimDay(db, day))) break
    const ledgers = await listMerchantLedgers(db)
    const failed = await runLedgers(deps, day, ledgers)
    if (stopping?.aborted) return releaseDay(db, day)
    await finishDay(db, day, failed)
    logger.info({ day, ledgers: ledgers.length, failed: failed.length }, 'the daily run is done')
  }
  await retryFailedRuns(deps)
}

/** Returns the newest day whose run was finished. */
export async function lastFinishedDay({ read }: Database): Promise<string | undefined> {
  const sql = `select max(day)::text as day from transactions.daily_runs where finished_at is not null`
  const [row] = await read(em => em.execute<{ day: string | null }[]>(sql))
  return row?.day ?? undefined
}

async function claimDay({ execute }: Database, day: string): Promise<boolean> {
  const claimed = await execute(
    `insert into transactions.daily_runs as run (day, taken_until) values (?, now() + interval '${claimMinutes} minutes')
     on conflict (day) do update set taken_until = excluded.taken_until
     where run.finished_at is null and run.taken_until < now()
     returning day`,
    [day],
  )
  return claimed.length > 0
}

async function releaseDay({ execute }: Database, day: string): Promise<void> {
  await execute(`update transactions.daily_runs set taken_until = now() where day = ?`, [day])
}

function finishDay({ write }: Database, day: string, failed: readonly MerchantLedger[]): Promise<void> {
  return write(async tx => {
    await recordFailedRuns(tx, day, failed)
    await tx.execute(`update transactions.daily_runs set finished_at = now() where day = ?`, [day])
  })
}
