import { ApiError, type Operation, operations } from '@cobro/contracts'
import { isDatabaseUnavailable } from '@cobro/database'
import { addHealth, bareApp, finishApp, mountOperations, mountRoutes, type Route } from '@cobro/http'
import type { Idempotency, Logger } from '@cobro/runtime'
import type { Express, Request } from 'express'
import { accountRoutes } from './account/account-routes.ts'
import { apiKeyRoutes } from './api-keys/api-key-routes.ts'
import { authRoutes } from './auth/auth-routes.ts'
import { browserLoginRoutes } from './auth/browser-login-routes.ts'
import { factorRoutes } from './auth/factor-routes.ts'
import { checkBrowserCall } from './callers/check-browser-call.ts'
import type { CallerDeps } from './callers/find-caller.ts'
import { identifyCaller } from './callers/identify-caller.ts'
import { parseOperationQuery } from './callers/selected-merchant.ts'
import { checkRequestHead } from './calls/check-request-head.ts'
import { corsMiddleware } from './calls/cors.ts'
import { callOf } from './calls/open-call.ts'
import { dashboardRoutes } from './dashboard/dashboard-routes.ts'
import { docsRoutes } from './docs/docs-routes.ts'
import { type ForwardDeps, forwardCall } from './forward/forward-call.ts'
import { healthRoutes } from './health/health-routes.ts'
import { meRoutes } from './me/me-routes.ts'
import { merchantRoutes } from './merchants/merchant-routes.ts'
import type { ConnectionLimits } from './network/connection-limits.ts'
import { rateLimitCalls } from './rate-limits/rate-limit-calls.ts'
import type { RateLimits } from './rate-limits/rate-limits.ts'
import { userRoutes } from './users/user-routes.ts'

type RouteDeps = Parameters<typeof authRoutes>[0] &
  Parameters<typeof browserLoginRoutes>[0] &
  Parameters<typeof apiKeyRoutes>[0] &
  Parameters<typeof healthRoutes>[0] &
  Parameters<typeof dashboardRoutes>[0] &
  Parameters<typeof docsRoutes>[0] &
  Parameters<typeof meRoutes>[0] &
  Parameters<typeof merchantRoutes>[0] &
  Parameters<typeof userRoutes>[0]

interface GatewayAppDeps extends RouteDeps, CallerDeps, Omit<ForwardDeps, 'identify'> {
  idempotency: Idempotency
  limits: RateLimits
  connections: ConnectionLimits
  /** Origins from which browsers may call. */
  origins: string[]
  ready: () => Promise<void>
  logger: Logger
}

/** The operations that the gateway answers itself. */
const ownRoutes = (deps: RouteDeps): Route[] => [
  ...healthRoutes(deps),
  ...docsRoutes(deps),
  ...dashboardRoutes(deps),
  ...authRoutes(deps),
  ...browserLoginRoutes(deps),
  ...accountRoutes(),
  ...factorRoutes(deps),
  ...meRoutes(deps),
  ...apiKeyRoutes(deps),
  ...merchantRoutes(deps),
  ...userRoutes(deps),
]

/** The operations that the gateway forwards to another service. */
const forwardedOperations = operations.filter(operation => operation.service !== 'gateway')

/** Builds the gateway's app: CORS, health, its own routes, then the forwarded operations. */
export function gatewayApp(deps: GatewayAppDeps): Express {
  const limiter = rateLimitCalls(deps.limits, deps.connections)
  const identify = async (request: Request, operation: Operation) => {
    const caller = await limiter.identified(request, operation, () => identifyCaller(deps, request, operation))
    if (operation.browserOnly) checkBrowserCall(request, deps.tokens.issuer)
    return caller
  }
  const app = bareApp()
  app.set('query parser', parseOperationQuery)
  app.use(checkRequestHead)
  if (deps.origins.length > 0) app.use('/api', limiter.preflight, corsMiddleware(deps.origins))
  app.use('/health', limiter.health)
  addHealth(app, deps.ready, deps.logger)
  mountRoutes(app, ownRoutes(deps), {
    idempotency: deps.idempotency,
    authenticate: async (request, operation) => ({
      caller: await identify(request, operation),
      request_id: callOf(request).request_id,
    }),
  })
  mountOperations(
    app,
    forwardedOperations.map(operation => [operation, forwardCall({ ...deps, identify }, operation)]),
  )
  app.use(() => {
    throw new ApiError('not_found')
  })
  app.use(limiter.unmatched)
  finishApp(app, { isUnavailable: isDatabaseUnavailable, logger: deps.logger })
  return app
}
