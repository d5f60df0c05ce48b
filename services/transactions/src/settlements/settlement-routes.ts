import { settlements } from '@cobro/contracts'
import { type Database, readableRows } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { changeSettlement, deleteSettlement } from './change-settlement.ts'
import { settlePeriod } from './settle-period.ts'
import { SettlementEntity } from './settlement-entity.ts'

export function settlementRoutes({ db }: { db: Database }): Route[] {
  return Object.values(
    crud(settlements, {
      ...readableRows(db, SettlementEntity, { search: settlements.search }),
      create: (caller, input) => settlePeriod(db, caller, input),
      update: (caller, id, input) => changeSettlement(db, caller, id, input),
      remove: (caller, id) => deleteSettlement(db, caller, id),
    }),
  )
}
