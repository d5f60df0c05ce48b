import { checkoutSessionOperations, checkoutSessions } from '@cobro/contracts'
import { type Database, getRow, listRows } from '@cobro/database'
import { crud, type Route, route } from '@cobro/http'
import { cancelPayable } from '../payables/cancel-payable.ts'
import type { PaymentRules } from '../payables/payment-rules.ts'
import { openSession } from './open-session.ts'
import { SessionEntity } from './session-entity.ts'
import { updateSession } from './update-session.ts'

/** The merchant's side of sessions, for its systems and its dashboard. */
export function sessionRoutes(deps: { db: Database; rules: PaymentRules }): Route[] {
  const { db } = deps
  const { create, read, cancel } = checkoutSessionOperations
  const dashboard = crud(checkoutSessions, {
    list: (caller, query) => db.read(em => listRows(em, SessionEntity, caller, query, checkoutSessions)),
    get: (caller, id) => db.read(em => getRow(em, SessionEntity, caller, id)),
    create: (caller, input) => openSession(deps, caller, input as never),
    update: (caller, id, input) => updateSession(db, caller, id, input),
    remove: async (caller, id) => void (await cancelPayable(db, caller, id)),
  })
  return [
    route(create, async ({ caller, body }) => (await openSession(deps, caller, body)) as never),
    route(
      read,
      async ({ caller, params }) => (await db.read(em => getRow(em, SessionEntity, caller, params.id))) as never,
    ),
    route(cancel, async ({ caller, params }) => (await cancelPayable(db, caller, params.id)) as never),
    ...Object.values(dashboard),
  ]
}
