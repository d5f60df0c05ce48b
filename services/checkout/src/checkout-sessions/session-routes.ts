import { checkoutSessionOperations, checkoutSessions } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { crud, type Route, route } from '@cobro/http'
import { cancelSession } from '../cancellation/cancel-payable.ts'
import type { CreationRules } from '../payables/creation-rules.ts'
import { payableRows } from '../payables/payable-rows.ts'
import { SessionEntity } from '../payables/session-entity.ts'
import { openSession } from './open-session.ts'
import { updateSession } from './update-session.ts'

/** The merchant's operations on sessions, for its systems and its dashboard. */
export function sessionRoutes(deps: { db: Database; rules: CreationRules }): Route[] {
  const { db } = deps
  const { create, read, cancel } = checkoutSessionOperations
  const rows = payableRows(db, SessionEntity, checkoutSessions.search)
  const dashboard = crud(checkoutSessions, {
    ...rows,
    create: (caller, input) => openSession(deps, caller, input),
    update: (caller, id, input) => updateSession(db, caller, id, input),
    remove: async (caller, id) => void (await cancelSession(db, caller, id)),
  })
  return [
    route(create, ({ caller, body }) => openSession(deps, caller, body)),
    route(read, ({ caller, params }) => rows.get(caller, params.id)),
    route(cancel, ({ caller, params }) => cancelSession(db, caller, params.id)),
    ...Object.values(dashboard),
  ]
}
