import { checkoutSessionOperations } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { cancelSession } from './cancel-session.ts'
import { openSession, type SessionRules } from './open-session.ts'
import { SessionEntity } from './session-entity.ts'

/** The merchant's side of sessions. */
export function sessionRoutes(deps: { db: Database; rules: SessionRules }): Route[] {
  const { create, read, cancel } = checkoutSessionOperations
  return [
    route(create, async ({ caller, body }) => (await openSession(deps, caller, body)) as never),
    route(
      read,
      async ({ caller, params }) => (await deps.db.read(em => getRow(em, SessionEntity, caller, params.id))) as never,
    ),
    route(cancel, async ({ caller, params }) => (await cancelSession(deps.db, caller, params.id)) as never),
  ]
}
