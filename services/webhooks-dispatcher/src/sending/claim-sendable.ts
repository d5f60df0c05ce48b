import type { Database, Emit, Tx } from '@cobro/database'
import type { AtStep } from '../steps.ts'
import { maxAttempts } from './attempt-outcome.ts'
import { type Claim, type ClaimLimits, claimJobs, type Job } from './claim-jobs.ts'
import { endUnsent } from './conclude-attempts.ts'
import { emitAttempt } from './job-events.ts'

/** Claims due jobs and gives those that are really to be sent; the others are ended in the same transaction. */
export function takeJobs(
  { db, waitsMs, atStep }: { db: Database; waitsMs: readonly number[]; atStep: AtStep },
  limits: ClaimLimits,
): Promise<Claim> {
  return db.write(async (tx, emit) => {
    const { jobs, lanes } = await claimJobs(tx, limits)
    const sendable: Job[] = []
    for (const job of jobs) if (await isSendable(tx, emit, job, waitsMs)) sendable.push(job)
    if (jobs.length > 0) await atStep('claimed')
    return { jobs: sendable, lanes }
  })
}

async function isSendable(tx: Tx, emit: Emit, job: Job, waitsMs: readonly number[]): Promise<boolean> {
  if (job.abandoned) {
    emitAttempt(emit, 'webhook.attempt_failed', job, { attempt: job.attempt - 1, status_code: null, error: 'unknown' })
  }
  const oneShot = job.one_shot_after !== null
  // What was asked for by hand is sent again where nobody knows what became of it, within the same limit.
  const usedUp = job.attempt - (job.one_shot_after ?? 0) > maxAttempts(waitsMs)
  // An event may have been fanned out while its endpoint was being disabled or deleted.
  if (job.endpoint_status !== 'active') await endUnsent(tx, emit, job, 'cancelled')
  else if (usedUp) await endUnsent(tx, emit, job, oneShot ? 'failed' : 'exhausted')
  else return true
  return false
}
