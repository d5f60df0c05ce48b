import { balanceSql } from '@cobro/contracts/sql'
import { plannedForValues, type Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { correctSnapshots } from '../balance-snapshots/correct-snapshots.ts'
import { balancesOf } from '../ledger/ledger-accounts.ts'
import { LedgerPositionEntity, type LedgerPositionRow } from '../ledger/ledger-entities.ts'
import { holdReleasedPostings } from '../ledger/ledger-postings.ts'
import { postToPosition } from '../ledger/post-entries.ts'
import type { LedgerBatch } from './ledger-batches.ts'

/**
 * Releases the holds that expired by the end of `day`: what was held then and still is.
 * Money that returned to a hold on a later day, for instance by a won dispute, is released with that day.
 */
export async function releaseHolds({ tx, ledger, day, now, after, limit }: LedgerBatch) {
  const rows = await tx.find(
    LedgerPositionEntity,
    { ...ledger, transaction_id: { $gt: after }, hold_until: { $lte: day }, reserve_cents: { $ne: 0n } },
    {
      ...plannedForValues,
      orderBy: { transaction_id: 'asc' },
      limit,
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    },
  )
  const held = await heldSince(tx, rows, day)
  let released = 0n
  for (const row of rows) {
    const postings = holdReleasedPostings(held.get(row.transaction_id) ?? 0n)
    postToPosition(tx, row, postings, { now, day })
    released += balancesOf(postings).merchant_available
  }
  await tx.flush()
  await correctSnapshots({ tx, ledger, day }, { reserved: -released, available: released })
  return rows.length < limit ? undefined : rows.at(-1)?.transaction_id
}

/** Returns the smallest amount that each transaction held at the end of `day` and any day since. */
async function heldSince(tx: Tx, rows: readonly LedgerPositionRow[], day: string): Promise<Map<string, bigint>> {
  const sums = await tx.execute<{ transaction_id: string; held: string }[]>(
    `select transaction_id, least(coalesce(sum(change) filter (where day <= ?), 0), min(held) filter (where day > ?)) as held
     from (
       select transaction_id, day, change, sum(change) over (partition by transaction_id order by day) as held from (
         select transaction_id, day, ${balanceSql('merchant_reserve')} as change from transactions.ledger_entries entry
         where transaction_id in (select jsonb_array_elements_text(?::jsonb)) group by transaction_id, day) as daily) as running
     group by transaction_id`,
    [day, day, JSON.stringify(rows.map(row => row.transaction_id))],
  )
  return new Map(sums.map(({ transaction_id, held }) => [transaction_id, BigInt(held)]))
}
