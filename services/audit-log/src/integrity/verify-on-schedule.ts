import { maxVerified } from '@cobro/contracts'
import { type Logger, observeGauge } from '@cobro/runtime'
import { countAuditFailure } from '../tree/audit-failures.ts'
import { checkWitnessFile } from './check-witness-file.ts'
import { type LogVerifier, readEnd } from './read-log.ts'
import { verifyLog } from './verify-log.ts'

let verifiedAtMs = Date.now()

/** Registers the metric of the last verification. A process that starts has up to one interval for its first one. */
export function registerVerificationMetric(): void {
  const description = 'When this replica last verified the audit log without a violation, or started'
  observeGauge('cobro_audit_last_verified_timestamp_seconds', { description, unit: 's' }, () => [
    { value: verifiedAtMs / 1_000 },
  ])
}

/**
 * Verifies the newest 100,000 events, and all checkpoints of `file`, if given. Logs and counts a
 * violation, for an alert.
 */
export async function verifyNewest(deps: LogVerifier, file: string | undefined, logger: Logger): Promise<void> {
  const end = await readEnd(deps.db)
  const range = { fromSeq: Math.max(1, end.size - maxVerified + 1), toSeq: end.size }
  const { first_fault } = await verifyLog(deps, range, end)
  const violation = first_fault ?? (file === undefined ? null : await witnessedViolation(deps, file, end))
  if (violation === null) {
    verifiedAtMs = Date.now()
    return
  }
  countAuditFailure('integrity')
  logger.error({ violation }, 'the audit log does not verify')
}

/** A log without events need not have a file yet. If it has one, the file decides whether events are missing. */
async function witnessedViolation(deps: LogVerifier, file: string, { size }: { size: number }) {
  try {
    return (await checkWitnessFile(deps, file)).violation
  } catch (error) {
    if (size === 0 && (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
