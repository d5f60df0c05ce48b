import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'

/** What browsers report about the payer's page. */
export const policyReportOperations = {
  // Without a schema, because browsers add fields: checkout reads the few that it records.
  report: operation({
    id: 'reportPolicyViolations',
    summary: "Report violations of the payer's page's content security policy",
    tag: { name: 'Policy reports', description: "Browsers report what the payer's page's policy blocked." },
    service: 'checkout',
    method: 'POST',
    path: '/hosted/v1/csp-reports',
    callers: callerSets.anyone,
    tenant: false,
    audit: 'checkout',
    // Browsers collect reports for up to a minute and send them together.
    bodyKib: 64,
    idempotency: 'none',
    emits: ['hosted_page.csp_violated'],
    response: 'page',
  }),
}
