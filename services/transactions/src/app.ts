import type { SandboxControls } from '@cobro/acquirer'
import type { Route } from '@cobro/http'
import { noticeRoutes } from './notices/notice-routes.ts'
import type { NoticeDeps } from './notices/take-notice.ts'
import { sucursalRoutes } from './sucursales/sucursal-routes.ts'
import { terminalRoutes } from './terminales/terminal-routes.ts'
import { transactionRoutes } from './transactions/transaction-routes.ts'
import { sandboxVoucherRoutes } from './vouchers/sandbox-voucher-routes.ts'

/** Every operation that this service answers. */
export const routes = (deps: NoticeDeps & { sandbox: SandboxControls | undefined }): Route[] => [
  ...transactionRoutes(deps),
  ...noticeRoutes(deps),
  ...sandboxVoucherRoutes(deps),
  ...sucursalRoutes(deps),
  ...terminalRoutes(deps),
]
