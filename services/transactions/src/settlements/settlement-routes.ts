import { ApiError, type Caller, settlements } from '@cobro/contracts'
import { type Database, getRow, listRows, merchantOf, scopeOf } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { lockBook } from '../ledger/ledger-books.ts'
import { matureBook } from '../ledger/mature-positions.ts'
import { endSettlement } from './end-settlement.ts'
import { makeSettlement } from './make-settlement.ts'
import { SettlementEntity } from './settlement-entity.ts'
import { dayOf } from './utc-days.ts'

interface Period {
  period_start: string
  period_end: string
  currency: string
  reference?: string | null
}

interface Change {
  status?: 'paid' | 'failed'
  reference?: string | null
}

export function settlementRoutes({ db }: { db: Database }): Route[] {
  const { search } = settlements
  return Object.values(
    crud(settlements, {
      list: (caller, query) =>
        db.read(em =>
          listRows(em, SettlementEntity, caller, query, { search, scope: { ...scopeOf(caller), deleted_at: null } }),
        ),
      get: (caller, id) => db.read(em => getRow(em, SettlementEntity, caller, id)),
      create: (caller, input) => settlePeriod(db, caller, input as Period),
      update: (caller, id, input) => changeSettlement(db, caller, id, input),
      remove: (caller, id) =>
        db.write(async (tx, emit) => {
          const row = await getRow(tx, SettlementEntity, caller, id, { lock: true })
          await endSettlement({ tx, emit, schema: db.schema }, row, 'deleted')
        }),
    }),
  )
}

/** Settles a merchant up to the end of a period, be the day of the run come or not: what is due by then matures first. */
function settlePeriod(db: Database, caller: Caller, { currency, reference = null, ...period }: Period) {
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

function changeSettlement(db: Database, caller: Caller, id: string, { status, reference }: Change) {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, SettlementEntity, caller, id, { lock: true })
    if (reference !== undefined) row.reference = reference
    row.updated_at = new Date()
    if (status === undefined) emit('settlement.updated', row as never)
    else await endSettlement({ tx, emit, schema: db.schema }, row, status)
    return row
  })
}
