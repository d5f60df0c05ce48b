import { auditOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { getEvent, listEvents } from './list-events.ts'

export function auditEventRoutes({ db }: { db: Database }): Route[] {
  return [
    route(auditOperations.list, ({ caller, query }) => listEvents(db, caller, query)),
    route(auditOperations.read, async ({ caller, params }) => ({ data: await getEvent(db, caller, params.id) })),
  ]
}
