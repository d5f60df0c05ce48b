import type { Logger } from '@cobro/runtime'
import type { Database } from './open-database.ts'
import { observeQuery } from './query-metrics.ts'

/** Two stored facts that contradict each other. Only ids, because it is logged. */
export interface Difference {
  kind: string
  id: string
  transaction_id?: string | null | undefined
}

/** What a check compares: what changed after `from` until `until`. As JSON of PostgreSQL. */
export interface ReconciledPeriod {
  from: string
  until: string
}

interface ReconcileDeps {
  db: Database
  logger: Logger
  stopping: AbortSignal
}

/** Checkout learns of a payment after transactions has captured it: the outbox may wait for the broker. */
const graceMinutes = 15
/** How long a replica may take for one page of a check before another replica starts it again. */
const claimMinutes = 15
/** A check stops here: more differences help no one, and they are held in memory. */
const maxDifferences = 1_000

/**
 * SQL of the table of a service that reconciles every day, with its only row. The first check is an
 * hour later, when the other services of a release are deployed as well.
 */
export const reconciliationTable = `
  create table reconciliation (
    id boolean primary key default true check (id),
    next_at timestamptz(3) not null,
    checked_until timestamptz(3) not null,
    differences integer not null
  );
  insert into reconciliation (next_at, checked_until, differences) values (now() + interval '1 hour', now(), 0);
  grant select (next_at, checked_until, differences) on reconciliation to cobro_operator;
`

/**
 * Compares once a day, in one replica, what changed since the newest finished check and in the day
 * before it: a difference is reported for two days unless it is corrected. Logs each difference and stores their number.
 * A check that fails or is interrupted begins again when its claim ends. `findDifferences` yields after each page that it
 * has compared.
 */
export async function reconcileDaily(
  { db, logger, stopping }: ReconcileDeps,
  findDifferences: (period: ReconciledPeriod) => AsyncIterable<readonly Difference[]>,
): Promise<void> {
  const period = await claim(db)
  if (!period) return
  const found = new Set<string>()
  for await (const page of findDifferences(period)) {
    for (const difference of page) {
      const key = `${difference.kind} ${difference.id} ${difference.transaction_id}`
      if (found.has(key)) continue
      found.add(key)
      logger.error({ difference }, 'reconciliation found a difference')
    }
    if (stopping.aborted) return
    if (found.size >= maxDifferences) break
    await extendClaim(db)
  }
  await db.execute(
    `update ${db.schema}.reconciliation set checked_until = until, differences = ?,
       next_at = until + interval '1 day ${graceMinutes} minutes' from (select ?::timestamptz as until) as period`,
    [found.size, period.until],
  )
  logger.info({ ...period, differences: found.size }, 'reconciliation is done')
}

/** Returns the period to compare if a check is due and no other replica has claimed it. */
async function claim({ execute, schema }: Database): Promise<ReconciledPeriod | undefined> {
  const [period] = await execute<ReconciledPeriod>(
    `update ${schema}.reconciliation set next_at = ${claimEnd} where next_at <= now()
     returning to_jsonb(checked_until - interval '1 day') #>> '{}' as from,
       to_jsonb(now() - interval '${graceMinutes} minutes') #>> '{}' as until`,
  )
  return period
}

const claimEnd = `now() + interval '${claimMinutes} minutes'`

async function extendClaim({ execute, schema }: Database): Promise<void> {
  await execute(`update ${schema}.reconciliation set next_at = ${claimEnd}`)
}

/** Registers what the newest finished check found, and up to when it has compared. */
export function registerReconciliationMetrics(db: Database): void {
  const differences = { description: 'Differences that the newest reconciliation found' }
  const table = `${db.schema}.reconciliation`
  observeQuery(db, 'cobro_reconciliation_differences', differences, `select differences as value from ${table}`)
  const age = { description: 'Time since the end of what the newest reconciliation compared', unit: 's' }
  const ageSql = `select extract(epoch from now() - checked_until)::float8 as value from ${table}`
  observeQuery(db, 'cobro_reconciliation_age_seconds', age, ageSql)
}
