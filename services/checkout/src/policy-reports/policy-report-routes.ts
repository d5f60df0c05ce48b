import { policyReportOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { clientAddressOf, page, type Route, setInternalHeaders } from '@cobro/http'
import { readPolicyReports } from './read-policy-reports.ts'
import { isOpenPayable, recordPolicyReports } from './record-policy-reports.ts'
import { openViolationLimits } from './violation-limits.ts'

/** The operation to which browsers report violations. It answers 204 and repeats nothing of a report. */
export function policyReportRoutes({ db, rules }: { db: Database; rules: { hostedUrl: string } }): Route[] {
  const limits = openViolationLimits(id => isOpenPayable(db, id))
  const { origin } = new URL(rules.hostedUrl)
  return [
    page(policyReportOperations.report, async ({ request }, response) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const reports = readPolicyReports(request.headers['content-type'], body, origin)
      await recordPolicyReports({ db, limits }, { reports, address: clientAddressOf(request) })
      setInternalHeaders(response)
      response.status(204).end()
    }),
  ]
}
