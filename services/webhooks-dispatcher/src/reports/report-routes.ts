import { reportOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { reportWebhooks } from './report-webhooks.ts'

export function reportRoutes(deps: { db: Database }): Route[] {
  return [
    route(reportOperations.webhooks, async ({ caller, query }) => ({
      data: await reportWebhooks(deps, caller, query),
    })),
  ]
}
