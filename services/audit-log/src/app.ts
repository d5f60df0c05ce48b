import type { Route } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { auditEventRoutes } from './events/audit-event-routes.ts'
import { exportRoutes } from './export/export-routes.ts'
import { type IntegrityDeps, integrityRoutes } from './integrity/integrity-routes.ts'
import { requestRoutes } from './requests/request-routes.ts'
import type { TailDeps } from './requests/tail-requests.ts'

/** Every operation of this service. */
export const routes = (deps: IntegrityDeps & { history: TailDeps; logger: Logger }): Route[] => [
  ...auditEventRoutes(deps),
  ...exportRoutes(deps),
  ...integrityRoutes(deps),
  ...requestRoutes(deps.history),
]
