import { checkoutSessionOperations, checkoutSessions } from '@cobro/contracts'
import { type Database, getRow, listRows } from '@cobro/database'
import { crud, type Route, route } from '@cobro/http'
import { cancelPayable } from '../cancellation/cancel-payable.ts'
import type { CreationRules } from '../payables/creation-rules.ts'
import { SessionEntity } from '../payables/session-entity.ts'
import { openSession } from './open-session.ts'
import { updateSession } from './update-session.ts'

/** The merchant's side of sessions, for its systems and its dashboard. */
export function sessionRoutes(deps: { db: Database; rules: CreationRules }): Route[] {
  const { db } = deps
  const { create, read, cancel } = checkoutSessionOperations
  const dashboard = crud(checkoutSessions, {
    list: (caller, query) => db.read(em => listRows(em, SessionEntity, caller, query, checkoutSessions)),
    get: (caller, id) => db.read(em => getRow(em, SessionEntity, caller, id)),
    create: (caller, input) => openSession(deps, caller, input),
    update: (caller, id, input) => updateSession(db, caller, id, input),
    remove: async (caller, id) => void (await cancelPayable(db, SessionEntity, caller, id)),
  })
  return [
    route(create, ({ caller, body }) => openSession(deps, caller, body)),
    route(read, ({ caller, params }) => db.read(em => getRow(em, SessionEntity, caller, params.id))),
    route(cancel, ({ caller, params }) => cancelPayable(db, SessionEntity, caller, params.id)),
    ...Object.values(dashboard),
  ]
}
