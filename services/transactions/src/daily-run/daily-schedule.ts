import type { Database } from '@cobro/database'
import { allBooks, type Book } from '../ledger/ledger-books.ts'
import { addDays, dayOf } from '../settlements/utc-days.ts'
import { noteFailedBooks, retryFailedBooks } from './failed-books.ts'
import { type DayDeps, runBooks } from './run-day.ts'

/** The run for a day starts ten minutes after its end, once nothing that began in it is still being written. */
const startsAfterMs = 10 * 60_000
/** How long the run of a day is left to whoever took it before another may take it up. */
const takenMinutes = 15

/** The newest day whose run may start by now. */
export function newestDay(now: Date): string {
  return addDays(dayOf(new Date(now.getTime() - startsAfterMs)), -1)
}

/** The days that are still to be run, oldest first: those after the last one that was finished; the newest alone where none ever was. */
export function daysToRun(lastFinished: string | undefined, now: Date): string[] {
  const newest = newestDay(now)
  const days: string[] = []
  for (let day = lastFinished ? addDays(lastFinished, 1) : newest; day <= newest; day = addDays(day, 1)) days.push(day)
  return days
}

/** For how many seconds the oldest day that is still to be run could have been run. */
export function dueForSeconds(lastFinished: string | undefined, now: Date): number {
  const [oldest] = daysToRun(lastFinished, now)
  if (!oldest) return 0
  return (now.getTime() - startsAfterMs - new Date(addDays(oldest, 1)).getTime()) / 1_000
}

/**
 * Runs the days that are due and that no other replica has taken. A book that fails is tried again by itself: it keeps neither
 * the others nor itself from the days that follow, which may be run in any order. A day that is broken off is given free.
 */
export async function runDueDays(deps: DayDeps): Promise<void> {
  const { db, logger, stopping } = deps
  for (const day of daysToRun(await lastFinished(db), new Date())) {
    if (!(await takeDay(db, day))) break
    const books = await allBooks(db)
    const failed = await runBooks(deps, day, books)
    if (stopping?.aborted) return freeDay(db, day)
    await finishDay(db, day, failed)
    logger.info({ day, books: books.length, failed: failed.length }, 'the daily run is done')
  }
  await retryFailedBooks(deps)
}

/** The newest day whose run was finished. */
export async function lastFinished({ read, schema }: Database): Promise<string | undefined> {
  const sql = `select max(day)::text as day from ${schema}.daily_runs where finished_at is not null`
  const [row] = await read(em => em.execute<{ day: string | null }[]>(sql))
  return row?.day ?? undefined
}

async function takeDay({ read, schema }: Database, day: string): Promise<boolean> {
  const taken = await read(em =>
    em.execute<unknown[]>(
      `insert into ${schema}.daily_runs as run (day, taken_until) values (?, now() + interval '${takenMinutes} minutes')
       on conflict (day) do update set taken_until = excluded.taken_until
       where run.finished_at is null and run.taken_until < now()
       returning day`,
      [day],
    ),
  )
  return taken.length > 0
}

async function freeDay({ read, schema }: Database, day: string): Promise<void> {
  await read(em => em.execute(`update ${schema}.daily_runs set taken_until = now() where day = ?`, [day]))
}

function finishDay({ write, schema }: Database, day: string, failed: readonly Book[]): Promise<void> {
  return write(async tx => {
    await noteFailedBooks({ tx, schema }, day, failed)
    await tx.execute(`update ${schema}.daily_runs set finished_at = now() where day = ?`, [day])
  })
}
