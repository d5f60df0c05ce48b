import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, merchantOf } from '@cobro/database'
import { type BookWork, delayDaysOf, lockBook } from '../ledger/ledger-books.ts'
import { inSteps, matureBook, maturePositions } from '../ledger/mature-positions.ts'
import { makeSettlement } from './make-settlement.ts'
import type { SettlementRow } from './settlement-entity.ts'
import { addDays, dayOf } from './utc-days.ts'

interface Period {
  period_start: string
  period_end: string
  currency: string
  reference?: string | null
}

/** How long is taken to make available what is due: its caller waits. */
const maturesForMs = 15_000
/** How many transactions are settled within a request. */
const most = 200_000

/**
 * Settles a merchant up to the end of a period, be the day of the run come or not: what is due by then matures first, in
 * transactions of its own, since it is due whatever becomes of the settlement.
 */
export async function settlePeriod(
  db: Database,
  caller: Caller,
  { currency, reference = null, ...period }: Period,
  limits = { most, maturesForMs },
): Promise<SettlementRow> {
  const book = { merchant_id: merchantOf(caller), currency }
  const day = period.period_end
  if (day > dayOf(new Date()))
    throw new ApiError('invalid_request', 'period_end: expected a day that is not yet to come')
  const apart = { write: db.writeApart, schema: db.schema }
  const until = Date.now() + limits.maturesForMs
  if (!(await inSteps(apart, { book, day }, maturePositions, () => Date.now() > until)))
    throw new ApiError('unavailable', 'what is due is still being made available: ask again')
  return db.write(async (tx, emit) => {
    const now = new Date()
    const { schema } = db
    await lockBook({ tx, book })
    await refuseTooMany({ tx, schema, book }, day, limits.most)
    await matureBook({ tx, schema, book, day, now })
    const { made, net } = await makeSettlement({ tx, emit, schema, book, ...period, minimum: 0n, reference, now })
    if (!made) throw new ApiError('conflict', `there is nothing to pay out: the net is ${net}`)
    return made
  })
}

async function refuseTooMany({ tx, schema, book }: BookWork, day: string, limit: number): Promise<void> {
  const [row] = await tx.execute<{ due: number }[]>(
    `select count(*)::integer as due from (
       select 1 from ${schema}.ledger_positions
       where merchant_id = ? and currency = ? and unsettled and captured_on <= ? limit ?) as bounded`,
    [book.merchant_id, book.currency, addDays(day, -(await delayDaysOf(tx, book))), limit + 1],
  )
  if ((row?.due ?? 0) <= limit) return
  throw new ApiError(
    'conflict',
    `more than ${limit} transactions are due: settle up to an earlier day, or leave it to the daily run`,
  )
}
