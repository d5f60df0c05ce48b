import type { Database } from '@cobro/database'
import type { Route } from '@cobro/http'
import { sucursalRoutes } from './sucursales/sucursal-routes.ts'
import { terminalRoutes } from './terminales/terminal-routes.ts'
import { transactionRoutes } from './transactions/transaction-routes.ts'

/** Every operation that this service answers. */
export const routes = (deps: { db: Database }): Route[] => [
  ...transactionRoutes(deps),
  ...sucursalRoutes(deps),
  ...terminalRoutes(deps),
]
