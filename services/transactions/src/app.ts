import type { SandboxControls } from '@cobro/acquirer'
import { inCurrencies, type Route } from '@cobro/http'
import { balanceSnapshotRoutes } from './balance-snapshots/balance-snapshot-routes.ts'
import { disputeRoutes } from './disputes/dispute-routes.ts'
import { feeRuleRoutes } from './fee-rules/fee-rule-routes.ts'
import { ledgerRoutes } from './ledger/ledger-routes.ts'
import { noticeRoutes } from './notices/notice-routes.ts'
import type { NoticeDeps } from './notices/take-notice.ts'
import { rollingReserveRoutes } from './rolling-reserve/rolling-reserve-routes.ts'
import { settlementConfigRoutes } from './settlement-config/settlement-config-routes.ts'
import { settlementRoutes } from './settlements/settlement-routes.ts'
import { sucursalRoutes } from './sucursales/sucursal-routes.ts'
import { terminalRoutes } from './terminales/terminal-routes.ts'
import { transactionRoutes } from './transactions/transaction-routes.ts'
import { sandboxVoucherRoutes } from './vouchers/sandbox-voucher-routes.ts'

interface AppDeps extends NoticeDeps {
  sandbox: SandboxControls | undefined
  /** Those that the deployment takes. */
  currencies: readonly string[]
}

/** Every operation that this service answers. */
export const routes = (deps: AppDeps): Route[] => [
  ...inCurrencies(deps.currencies, [
    ...transactionRoutes(deps),
    ...feeRuleRoutes(deps),
    ...rollingReserveRoutes(deps),
    ...settlementConfigRoutes(deps),
    ...balanceSnapshotRoutes(deps),
  ]),
  ...noticeRoutes(deps),
  ...sandboxVoucherRoutes(deps),
  // What was earned in a currency that is no longer taken is paid out all the same.
  ...settlementRoutes(deps),
  ...disputeRoutes(deps),
  ...ledgerRoutes(deps),
  ...sucursalRoutes(deps),
  ...terminalRoutes(deps),
]
