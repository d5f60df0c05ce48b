import { disputes } from '@cobro/contracts'
import { type Database, readableRows } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { changeDispute, openDispute, removeDispute } from './change-dispute.ts'
import { DisputeEntity } from './dispute-entity.ts'

export function disputeRoutes({ db }: { db: Database }): Route[] {
  return Object.values(
    crud(disputes, {
      ...readableRows(db, DisputeEntity, { search: disputes.search }),
      create: (caller, input) => openDispute(db, caller, input),
      update: (caller, id, input) => changeDispute(db, caller, id, input),
      remove: (caller, id) => removeDispute(db, caller, id),
    }),
  )
}
