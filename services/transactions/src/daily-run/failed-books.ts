import type { Tx } from '@cobro/database'
import type { Book } from '../ledger/ledger-books.ts'
import { type DayDeps, runBooks } from './run-day.ts'

/** The wait before another try grows by this with each, up to so many times as much. */
const waitMinutes = 15
const maxWaits = 24
/** How many a replica takes at once: it is done with them long before another may take them. */
const atOnce = 20

type FailedBook = Book & { day: string }

/** Notes the books that the run of a day failed for, so that they are tried again. */
export async function noteFailedBooks(
  { tx, schema }: { tx: Tx; schema: string },
  day: string,
  books: readonly Book[],
): Promise<void> {
  await tx.execute(
    `insert into ${schema}.daily_run_failures (day, merchant_id, currency, tries, next_try_at)
     select ?, merchant_id, currency, 1, now() + interval '${waitMinutes} minutes'
     from jsonb_to_recordset(?::jsonb) as book (merchant_id text, currency text)
     on conflict (merchant_id, currency, day) do nothing`,
    [day, JSON.stringify(books)],
  )
}

/** Tries those again whose time has come, for as long as there are any. */
export async function retryFailedBooks(deps: DayDeps): Promise<void> {
  const { read, schema } = deps.db
  for (let due = await takeDue(deps); due.length > 0; due = await takeDue(deps)) {
    for (const { day, ...book } of due) {
      if (deps.stopping?.aborted) return
      if ((await runBooks(deps, day, [book])).length > 0) continue
      await read(em =>
        em.execute(`delete from ${schema}.daily_run_failures where day = ? and merchant_id = ? and currency = ?`, [
          ...[day, book.merchant_id, book.currency],
        ]),
      )
      deps.logger.info({ day, ...book }, 'the daily run of a book is made up for')
    }
  }
}

/** Takes them for as long as the wait that follows, so that no other replica tries them meanwhile. */
function takeDue({ db: { read, schema } }: DayDeps): Promise<FailedBook[]> {
  return read(em =>
    em.execute<FailedBook[]>(
      `with due as (
         select merchant_id, currency, day from ${schema}.daily_run_failures where next_try_at <= now()
         order by next_try_at limit ${atOnce} for update skip locked)
       update ${schema}.daily_run_failures failure
       set tries = tries + 1, next_try_at = now() + least(tries + 1, ${maxWaits}) * interval '${waitMinutes} minutes'
       from due where failure.merchant_id = due.merchant_id and failure.currency = due.currency and failure.day = due.day
       returning failure.day::text, failure.merchant_id, failure.currency`,
    ),
  )
}
