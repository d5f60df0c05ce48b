import { disputes } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { changeDispute, openDispute, removeDispute } from './change-dispute.ts'
import { getDispute, listDisputes } from './dispute-queries.ts'

export function disputeRoutes({ db }: { db: Database }): Route[] {
  return Object.values(
    crud(disputes, {
      list: (caller, query) => listDisputes(db, caller, query),
      get: (caller, id) => getDispute(db, caller, id),
      create: (caller, input) => openDispute(db, caller, input),
      update: (caller, id, input) => changeDispute(db, caller, id, input),
      remove: (caller, id) => removeDispute(db, caller, id),
    }),
  )
}
