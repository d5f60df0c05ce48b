import type { Database, Tx } from '@cobro/database'
import { claimAndProcess } from '@cobro/runtime'
import type { MerchantLedger } from '../ledger/merchant-ledgers.ts'
import { type DailyRunDeps, runLedgers } from './run-day.ts'

/** The retry delay is this, times the number of tries so far, up to the maximum. */
const retryDelayMinutes = 15
const maxDelayFactor = 24
/** The number of ledgers a replica claims at once: few enough to finish within the claim. */
const batch = 20

type FailedRun = MerchantLedger & { day: string }

/** Stores for which ledgers the run of a day failed, so that they are retried. */
export async function recordFailedRuns(tx: Tx, day: string, ledgers: readonly MerchantLedger[]): Promise<void> {
  await tx.execute(
    `insert into transactions.daily_run_failures (day, merchant_id, currency, tries, next_try_at)
     select ?, merchant_id, currency, 1, now() + interval '${retryDelayMinutes} minutes'
     from jsonb_to_recordset(?::jsonb) as ledger (merchant_id text, currency text)
     on conflict (merchant_id, currency, day) do nothing`,
    [day, JSON.stringify(ledgers)],
  )
}

/** Retries the failed runs that are due until none is left. */
export function retryFailedRuns(deps: DailyRunDeps): Promise<void> {
  const { db, stopping, logger } = deps
  const claim = (limit: number) => claimDue(db, limit)
  const options = { name: 'retry failed runs', claim, batch, concurrency: 1, stopping, logger }
  const deleteFailure = `delete from transactions.daily_run_failures where day = ? and merchant_id = ? and currency = ?`
  return claimAndProcess(options, async ({ day, ...ledger }) => {
    if (stopping?.aborted || (await runLedgers(deps, day, [ledger])).length > 0) return
    await db.execute(deleteFailure, [day, ledger.merchant_id, ledger.currency])
    logger.info({ day, ...ledger }, 'the daily run of a ledger succeeded on retry')
  })
}

/** Claims due retries until their next retry is due, so that no other replica runs them too. */
function claimDue({ execute }: Database, limit: number): Promise<FailedRun[]> {
  return execute<FailedRun>(
    `with due as (
       select merchant_id, currency, day from transactions.daily_run_failures where next_try_at <= now()
       order by next_try_at limit ${limit} for update skip locked)
     update transactions.daily_run_failures failure
     set tries = tries + 1, next_try_at = now() + least(tries + 1, ${maxDelayFactor}) * interval '${retryDelayMinutes} minutes'
     from due where failure.merchant_id = due.merchant_id and failure.currency = due.currency and failure.day = due.day
     returning failure.day::text, failure.merchant_id, failure.currency`,
  )
}
