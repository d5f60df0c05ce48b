import type { Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { correctSnapshots } from '../balance-snapshots/correct-snapshots.ts'
import { addDays } from '../settlements/utc-days.ts'
import { balancesOf } from './ledger-accounts.ts'
import { type BookWork, delayDaysOf, lockBook } from './ledger-books.ts'
import { LedgerPositionEntity, type PositionRow } from './ledger-entities.ts'
import { balanceSql } from './ledger-faults.ts'
import { holdReleasedPostings, maturedPostings } from './ledger-postings.ts'
import { postFor } from './post-entries.ts'

/** How many positions are worked on at once. */
const batch = 500

/** One step through a book that is locked: `after` is the transaction that the step before ended with. */
export interface BookStep extends BookWork {
  day: string
  now: Date
  after: string
  limit: number
}

/**
 * Makes available what was captured long enough before the end of `day`: of each transaction what its entries up to that day
 * left pending. Entries of later days mature with theirs, and what matured with a later day has taken all of this one along, so
 * that days may be run in any order and repeated. Gives the last transaction that was looked at, undefined once there is no more.
 */
export async function maturePositions({ tx, schema, book, day, now, after, limit }: BookStep) {
  const rows = await tx.find(
    LedgerPositionEntity,
    {
      ...book,
      transaction_id: { $gt: after },
      captured_on: { $lte: addDays(day, -(await delayDaysOf(tx, book))) },
      $or: [{ matured_on: null }, { matured_on: { $lte: day }, pending_cents: { $ne: 0n } }],
    },
    { orderBy: { transaction_id: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  const pending = await pendingUntil({ tx, schema, day }, rows)
  let matured = 0n
  for (const row of rows) {
    const due = pending.get(row.transaction_id)
    // One that was entered for a day long past has no entries of before today.
    if (due === undefined) continue
    postFor(tx, row, maturedPostings(due), { now, day })
    row.matured_on = day
    matured += due
  }
  await tx.flush()
  await correctSnapshots({ tx, schema, book, day }, { pending: -matured, available: matured })
  return rows.length < limit ? undefined : rows.at(-1)?.transaction_id
}

/** Matures all of a locked book that is due, in the caller's transaction. */
export async function matureBook(at: Omit<BookStep, 'after' | 'limit'>): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined) {
    after = await maturePositions({ ...at, after, limit: batch })
    // Each flush would look through all that was touched before.
    if (after !== undefined) at.tx.clear()
  }
}

type Step = (at: BookStep) => Promise<string | undefined>

/**
 * Goes through a book in transactions of a batch each, so that nobody waits long for a transaction of it. Gives whether it came
 * to the end before it was to break off.
 */
export async function inSteps(
  { write, schema }: Pick<Database, 'write' | 'schema'>,
  { book, day }: Pick<BookStep, 'book' | 'day'>,
  step: Step,
  breakOff: () => boolean,
): Promise<boolean> {
  let after: string | undefined = ''
  while (after !== undefined) {
    if (breakOff()) return false
    const from: string = after
    after = await write(async tx => {
      await lockBook({ tx, book })
      return step({ tx, schema, book, day, now: new Date(), after: from, limit: batch })
    })
  }
  return true
}

type AtDay = Pick<BookStep, 'tx' | 'schema' | 'day'>

/** What the entries up to a day left pending of those transactions that have any. */
async function pendingUntil({ tx, schema, day }: AtDay, rows: readonly PositionRow[]): Promise<Map<string, bigint>> {
  const sums = await tx.execute<{ transaction_id: string; pending: string }[]>(
    `select transaction_id, ${balanceSql('merchant_pending')} as pending from ${schema}.ledger_entries entry
     where transaction_id in (select jsonb_array_elements_text(?::jsonb)) and day <= ?
     group by transaction_id`,
    [idsOf(rows), day],
  )
  return new Map(sums.map(({ transaction_id, pending }) => [transaction_id, BigInt(pending)]))
}

/**
 * Releases the holds whose time was over by the end of `day`: of each what was held then and still is. What was put back on a
 * later day, as by a dispute that was won, is released with that.
 */
export async function releaseHolds({
  tx,
  schema,
  book,
  day,
  now,
  after,
  limit,
}: BookStep): Promise<string | undefined> {
  const rows = await tx.find(
    LedgerPositionEntity,
    { ...book, transaction_id: { $gt: after }, hold_until: { $lte: day }, reserve_cents: { $ne: 0n } },
    { orderBy: { transaction_id: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  const held = await heldSince({ tx, schema, day }, rows)
  let released = 0n
  for (const row of rows) {
    const postings = holdReleasedPostings(held.get(row.transaction_id) ?? 0n)
    postFor(tx, row, postings, { now, day })
    released += balancesOf(postings).merchant_available
  }
  await tx.flush()
  await correctSnapshots({ tx, schema, book, day }, { reserved: -released, available: released })
  return rows.length < limit ? undefined : rows.at(-1)?.transaction_id
}

/** The least that transactions had on hold at the end of a day and of every day since. */
async function heldSince({ tx, schema, day }: AtDay, rows: readonly PositionRow[]): Promise<Map<string, bigint>> {
  const sums = await tx.execute<{ transaction_id: string; held: string }[]>(
    `select transaction_id, least(coalesce(sum(moved) filter (where day <= ?), 0), min(held) filter (where day > ?)) as held
     from (
       select transaction_id, day, moved, sum(moved) over (partition by transaction_id order by day) as held from (
         select transaction_id, day, ${balanceSql('merchant_reserve')} as moved from ${schema}.ledger_entries entry
         where transaction_id in (select jsonb_array_elements_text(?::jsonb)) group by transaction_id, day) as daily) as running
     group by transaction_id`,
    [day, day, idsOf(rows)],
  )
  return new Map(sums.map(({ transaction_id, held }) => [transaction_id, BigInt(held)]))
}

const idsOf = (rows: readonly PositionRow[]) => JSON.stringify(rows.map(row => row.transaction_id))
