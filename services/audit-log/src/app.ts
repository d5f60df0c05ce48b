import type { Database } from '@cobro/database'
import type { Route } from '@cobro/http'
import { auditEventRoutes } from './events/audit-event-routes.ts'

/** Every operation that this service answers. */
export const routes = (deps: { db: Database }): Route[] => auditEventRoutes(deps)
