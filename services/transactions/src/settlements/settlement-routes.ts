import { settlements } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { changeSettlement, deleteSettlement } from './change-settlement.ts'
import { settlePeriod } from './settle-period.ts'
import { getSettlement, listSettlements } from './settlement-queries.ts'

export function settlementRoutes({ db }: { db: Database }): Route[] {
  return Object.values(
    crud(settlements, {
      list: (caller, query) => listSettlements(db, caller, query),
      get: (caller, id) => getSettlement(db, caller, id),
      create: (caller, input) => settlePeriod(db, caller, input),
      update: (caller, id, input) => changeSettlement(db, caller, id, input),
      remove: (caller, id) => deleteSettlement(db, caller, id),
    }),
  )
}
