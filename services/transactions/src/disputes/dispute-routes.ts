import { disputes } from '@cobro/contracts'
import { type Database, getRow, listRows, scopeOf } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { changeDispute, openDispute, removeDispute } from './change-dispute.ts'
import { DisputeEntity } from './dispute-entity.ts'

export function disputeRoutes({ db }: { db: Database }): Route[] {
  const { search } = disputes
  return Object.values(
    crud(disputes, {
      list: (caller, query) =>
        db.read(em =>
          listRows(em, DisputeEntity, caller, query, { search, scope: { ...scopeOf(caller), deleted_at: null } }),
        ),
      get: (caller, id) => db.read(em => getRow(em, DisputeEntity, caller, id)),
      create: (caller, input) => openDispute(db, caller, input),
      update: (caller, id, input) => changeDispute(db, caller, id, input),
      remove: (caller, id) => removeDispute(db, caller, id),
    }),
  )
}
