import { reportOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { declineReport } from './decline-report.ts'
import { paymentReport } from './payment-report.ts'

export function reportRoutes({ db }: { db: Database }): Route[] {
  return [
    route(reportOperations.payments, async ({ caller, query }) => ({ data: await paymentReport(db, caller, query) })),
    route(reportOperations.declines, async ({ caller, query }) => ({ data: await declineReport(db, caller, query) })),
  ]
}
