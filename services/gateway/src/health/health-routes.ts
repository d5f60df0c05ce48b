import { ApiError, healthOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { type HealthChecks, isDegraded } from './health-checks.ts'

export function healthRoutes({ health }: { health: Pick<HealthChecks, 'state'> }): Route[] {
  return [
    route(healthOperations.read, async () => {
      const services = await health.state()
      if (services.postgres === 'away') throw new ApiError('unavailable', 'the database cannot be reached')
      return { status: isDegraded(services) ? ('degraded' as const) : ('ok' as const), services }
    }),
  ]
}
