import type { Route } from '@cobro/http'
import { sessionRoutes } from './checkout-sessions/session-routes.ts'
import { hostedRoutes } from './hosted/hosted-routes.ts'
import type { PageFiles } from './hosted/page-files.ts'
import type { PayerStreams } from './hosted/payer-streams.ts'
import type { PayerViewDeps } from './hosted/payer-view.ts'
import type { CreationRules } from './payables/creation-rules.ts'
import type { PayDeps } from './payment-attempts/pay-payable.ts'
import { linkRoutes } from './payment-links/link-routes.ts'
import { policyReportRoutes } from './policy-reports/policy-report-routes.ts'
import { checkoutReportRoutes } from './reports/checkout-report-routes.ts'
import { paymentBlockRoutes } from './velocity-rules/payment-block-routes.ts'

type AppDeps = PayDeps & PayerViewDeps & { rules: CreationRules; files: PageFiles; streams: PayerStreams }

/** The routes of every operation of this service. */
export const routes = (deps: AppDeps): Route[] => [
  ...sessionRoutes(deps),
  ...linkRoutes(deps),
  ...hostedRoutes(deps),
  ...policyReportRoutes(deps),
  ...paymentBlockRoutes(deps),
  ...checkoutReportRoutes(deps),
]
