import type { Route } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { auditEventRoutes } from './events/audit-event-routes.ts'
import { exportRoutes } from './export/export-routes.ts'
import { type IntegrityDeps, integrityRoutes } from './integrity/integrity-routes.ts'
import { type RequestDeps, requestRoutes } from './requests/request-routes.ts'

/** Every operation of this service. */
export const routes = (deps: IntegrityDeps & RequestDeps & { logger: Logger }): Route[] => [
  ...auditEventRoutes(deps),
  ...exportRoutes(deps),
  ...integrityRoutes(deps),
  ...requestRoutes(deps),
]
