import type { SandboxControls } from '@cobro/acquirer'
import { type Route, rejectOtherCurrencies } from '@cobro/http'
import { notificationRoutes } from './acquirer-notifications/notification-routes.ts'
import type { NotificationDeps } from './acquirer-notifications/receive-notification.ts'
import { approvalRoutes } from './approvals/approval-routes.ts'
import type { DecisionDeps } from './approvals/decide-approval.ts'
import { type HoldDeps, holdCalls } from './approvals/hold-calls.ts'
import { balanceSnapshotRoutes } from './balance-snapshots/balance-snapshot-routes.ts'
import { disputeRoutes } from './disputes/dispute-routes.ts'
import { feeRuleRoutes } from './fee-rules/fee-rule-routes.ts'
import { ledgerCheckRoutes } from './ledger-check/ledger-check-routes.ts'
import type { RefundDeps } from './refunds/refund-transaction.ts'
import { reportRoutes } from './reports/report-routes.ts'
import { rollingReserveRoutes } from './rolling-reserve/rolling-reserve-routes.ts'
import { sandboxRoutes } from './sandbox/sandbox-routes.ts'
import type { SettlementConfigDeps } from './settlement-config/change-settlement-config.ts'
import { settlementConfigRoutes } from './settlement-config/settlement-config-routes.ts'
import { settlementRoutes } from './settlements/settlement-routes.ts'
import { sucursalRoutes } from './sucursales/sucursal-routes.ts'
import { terminalRoutes } from './sucursales/terminal-routes.ts'
import { transactionRoutes } from './transaction-routes.ts'

interface AppDeps extends NotificationDeps, SettlementConfigDeps, RefundDeps, HoldDeps, DecisionDeps {
  sandbox: SandboxControls | undefined
  /** The currencies that this deployment accepts. */
  currencies: readonly string[]
}

/** Every operation that this service answers. */
export function routes(deps: AppDeps): Route[] {
  const others = routesBeforeApprovals(deps)
  return [...holdCalls(deps, others), ...approvalRoutes(deps, others)]
}

/** Carry out calls at once, also those that need an approval. */
const routesBeforeApprovals = (deps: AppDeps): Route[] => [
  ...rejectOtherCurrencies(deps.currencies, [
    ...transactionRoutes(deps),
    ...feeRuleRoutes(deps),
    ...rollingReserveRoutes(deps),
    ...settlementConfigRoutes(deps),
    ...balanceSnapshotRoutes(deps),
  ]),
  ...notificationRoutes(deps),
  ...sandboxRoutes(deps),
  // Outside rejectOtherCurrencies: earnings in a currency that is no longer accepted are still paid out.
  ...settlementRoutes(deps),
  ...disputeRoutes(deps),
  ...ledgerCheckRoutes(deps),
  // As well: it reports what was taken in it.
  ...reportRoutes(deps),
  ...sucursalRoutes(deps),
  ...terminalRoutes(deps),
]
