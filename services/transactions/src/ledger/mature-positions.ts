import { LockMode } from '@mikro-orm/core'
import { addDays } from '../settlements/utc-days.ts'
import { type BookWork, delayDaysOf } from './ledger-books.ts'
import { LedgerPositionEntity } from './ledger-entities.ts'
import { holdReleasedPostings, maturedPostings } from './ledger-postings.ts'
import { postFor } from './post-entries.ts'

/** How many positions are worked on at once. */
export const batch = 500

/** One step through a book that is locked: `after` is the transaction that the step before ended with. */
export interface BookStep extends BookWork {
  day: string
  now: Date
  after: string
  limit: number
}

/**
 * Makes available what was captured long enough before the end of `day`: of each transaction what its entries up to that day
 * left pending. Entries of later days mature with theirs, so that to repeat a day does nothing. Gives the last transaction that
 * was looked at, undefined once there is no more.
 */
export async function maturePositions({ tx, schema, book, day, now, after, limit }: BookStep) {
  const rows = await tx.find(
    LedgerPositionEntity,
    {
      ...book,
      transaction_id: { $gt: after },
      captured_on: { $lte: addDays(day, -(await delayDaysOf(tx, book))) },
      $or: [{ matured_on: null }, { pending_cents: { $ne: 0n } }],
    },
    { orderBy: { transaction_id: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  const pending = await pendingUntil(
    { tx, schema, day },
    rows.map(row => row.transaction_id),
  )
  for (const row of rows) {
    postFor(tx, row, maturedPostings(pending.get(row.transaction_id) ?? 0n), { now, day })
    row.matured_on ??= day
  }
  await tx.flush()
  return rows.length < limit ? undefined : rows.at(-1)?.transaction_id
}

/** Matures all of a locked book that is due, in the caller's transaction. */
export async function matureBook(at: Omit<BookStep, 'after' | 'limit'>): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined) after = await maturePositions({ ...at, after, limit: batch })
}

async function pendingUntil({ tx, schema, day }: Pick<BookStep, 'tx' | 'schema' | 'day'>, ids: string[]) {
  const sums = await tx.execute<{ transaction_id: string; pending: string }[]>(
    `select transaction_id, sum(case 'merchant_pending' when credit then amount_cents when debit then -amount_cents else 0 end)
       as pending
     from ${schema}.ledger_entries
     where transaction_id in (select jsonb_array_elements_text(?::jsonb)) and day <= ?
     group by transaction_id`,
    [JSON.stringify(ids), day],
  )
  return new Map(sums.map(({ transaction_id, pending }) => [transaction_id, BigInt(pending)]))
}

/** Releases the holds whose time was over by the end of `day`. What is left of a hold is released once, and is then nothing. */
export async function releaseHolds({ tx, book, day, now, after, limit }: BookStep): Promise<string | undefined> {
  const rows = await tx.find(
    LedgerPositionEntity,
    { ...book, transaction_id: { $gt: after }, hold_until: { $lte: day }, reserve_cents: { $ne: 0n } },
    { orderBy: { transaction_id: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  for (const row of rows) postFor(tx, row, holdReleasedPostings(row.reserve_cents), { now, day })
  await tx.flush()
  return rows.length < limit ? undefined : rows.at(-1)?.transaction_id
}
