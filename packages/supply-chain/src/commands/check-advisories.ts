import { advisoryViolations, auditPackages } from '../checks/audit-packages.ts'
import { advisoryExceptions } from '../checks/exceptions.ts'

/** `EX_TEMPFAIL` of sysexits.h: `npm test` counts the check as skipped. */
const notChecked = 75

/** Fails with 1 if an advisory concerns a package. Returns 75 if the registry does not answer. */
export async function advisories(): Promise<number> {
  const result = await auditPackages()
  if ('unanswered' in result) {
    process.stdout.write(`SKIPPED: advisories were not checked, because ${result.unanswered}.\n`)
    return notChecked
  }
  const today = new Date().toISOString().slice(0, 10)
  const violations = advisoryViolations(result.advisories, advisoryExceptions, today)
  for (const line of violations) process.stdout.write(`${line}\n`)
  if (violations.length === 0) process.stdout.write('No advisory concerns a package without an exception.\n')
  return violations.length > 0 ? 1 : 0
}
