import type { Database } from '@cobro/database'
import type { Route } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { auditEventRoutes } from './events/audit-event-routes.ts'
import { exportRoutes } from './export/export-routes.ts'
import { integrityRoutes } from './integrity/integrity-routes.ts'
import type { VerifyingKey } from './tree/checkpoint-keys.ts'

/** Every operation of this service. */
export const routes = (deps: { db: Database; keys: readonly VerifyingKey[]; logger: Logger }): Route[] => [
  ...auditEventRoutes(deps),
  ...exportRoutes(deps),
  ...integrityRoutes(deps),
]
