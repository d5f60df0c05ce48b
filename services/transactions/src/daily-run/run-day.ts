import type { Database } from '@cobro/database'
import { inCall, inNewTrace, type Logger, runConcurrently } from '@cobro/runtime'
import { BalanceSnapshotEntity } from '../balance-snapshots/balance-snapshot-entity.ts'
import { takeSnapshot } from '../balance-snapshots/take-snapshot.ts'
import { allBooks, type Book, lockBook } from '../ledger/ledger-books.ts'
import { inSteps, maturePositions, releaseHolds } from '../ledger/mature-positions.ts'
import { SettlementConfigEntity } from '../settlement-config/settlement-config-entity.ts'
import { makeSettlement } from '../settlements/make-settlement.ts'
import { periodClosedBy } from '../settlements/settlement-periods.ts'

export interface DayDeps {
  db: Database
  logger: Logger
  /** Breaks the run off: what was not done by then is left for its repetition. */
  stopping?: AbortSignal
}

/**
 * Does what is due at the end of a UTC day, book by book: money matures, holds are released, periods that the day closes are
 * settled, and the balances are noted. Each step leaves nothing for its repetition, so a day may be run any number of times, by
 * several at once, and goes on where it was broken off. Fails where a book did, after all others had their turn.
 */
export async function runDay(deps: DayDeps, day: string): Promise<{ books: number }> {
  const books = await allBooks(deps.db)
  const failed = await runBooks(deps, day, books)
  if (failed.length > 0) throw new Error(`The daily run of ${day} failed for ${failed.length} books.`)
  return { books: books.length }
}

/** Does the same for some books. Gives those that it was not done for: each failure is logged. */
export async function runBooks(deps: DayDeps, day: string, books: readonly Book[]): Promise<Book[]> {
  const { logger } = deps
  const left = new Set(books)
  await runConcurrently(books, { concurrency: 2, name: `daily run of ${day}`, logger }, book =>
    inNewTrace('daily run of a book', {}, () =>
      inCall({ merchant_id: book.merchant_id }, async () => {
        if (await runBook(deps, book, day)) left.delete(book)
      }),
    ),
  )
  return [...left]
}

/** Gives whether it came to the end. */
async function runBook({ db, stopping }: DayDeps, book: Book, day: string): Promise<boolean> {
  for (const step of [maturePositions, releaseHolds])
    if (!(await inSteps(db, { book, day }, step, () => stopping?.aborted === true))) return false
  await db.write(async (tx, emit) => {
    const { schema } = db
    await lockBook({ tx, book })
    const config = await tx.findOne(SettlementConfigEntity, { ...book, active: true })
    const period = config && periodClosedBy(day, config)
    if (config && period) {
      const minimum = BigInt(config.minimum_cents)
      await makeSettlement({ tx, emit, schema, book, ...period, minimum, reference: null, now: new Date() })
      await tx.flush()
    }
    if (!(await tx.findOne(BalanceSnapshotEntity, { ...book, day })))
      await takeSnapshot({ tx, emit, schema, book, day })
  })
  return true
}
