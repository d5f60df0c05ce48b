import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, merchantOf } from '@cobro/database'
import { lockBook } from '../ledger/ledger-books.ts'
import { matureBook } from '../ledger/mature-positions.ts'
import { makeSettlement } from './make-settlement.ts'
import type { SettlementRow } from './settlement-entity.ts'
import { dayOf } from './utc-days.ts'

interface Period {
  period_start: string
  period_end: string
  currency: string
  reference?: string | null
}

/** Settles a merchant up to the end of a period, be the day of the run come or not: what is due by then matures first. */
export function settlePeriod(
  db: Database,
  caller: Caller,
  { currency, reference = null, ...period }: Period,
): Promise<SettlementRow> {
  const book = { merchant_id: merchantOf(caller), currency }
  return db.write(async (tx, emit) => {
    const now = new Date()
    const day = period.period_end
    if (day > dayOf(now)) throw new ApiError('invalid_request', 'period_end: expected a day that is not yet to come')
    await lockBook({ tx, book })
    await matureBook({ tx, schema: db.schema, book, day, now })
    const { made, net } = await makeSettlement({
      ...{ tx, emit, schema: db.schema, book, ...period, minimum: 0n, reference, now },
    })
    if (!made) throw new ApiError('conflict', `there is nothing to pay out: the net is ${net}`)
    return made
  })
}
