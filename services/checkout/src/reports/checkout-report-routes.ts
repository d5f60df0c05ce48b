import { reportOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { checkoutReport } from './checkout-report.ts'

/** What merchants and operators see of their sessions and links together. */
export function checkoutReportRoutes({ db }: { db: Database }): Route[] {
  return [
    route(reportOperations.checkout, async ({ caller, query }) => ({ data: await checkoutReport(db, caller, query) })),
  ]
}
