import type { Route } from '@cobro/http'
import type { SessionRules } from './checkout-sessions/open-session.ts'
import { sessionRoutes } from './checkout-sessions/session-routes.ts'
import { hostedRoutes } from './hosted/hosted-routes.ts'
import type { PageFiles } from './hosted/page-files.ts'
import type { ShowDeps } from './hosted/show-session.ts'
import type { PayDeps } from './payment-attempts/pay-session.ts'

export type AppDeps = PayDeps & ShowDeps & { rules: SessionRules; files: PageFiles }

/** Every operation that this service answers. */
export const routes = (deps: AppDeps): Route[] => [...sessionRoutes(deps), ...hostedRoutes(deps)]
