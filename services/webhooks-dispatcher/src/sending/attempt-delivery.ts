import { setTimeout as pause } from 'node:timers/promises'
import { type Database, isDatabaseUnavailable, unseal } from '@cobro/database'
import { captureTrace, inCall, inNewTrace, type KeyRing, type Logger, withPrivateUrl, withTrace } from '@cobro/runtime'
import type { AtStep } from '../steps.ts'
import { outcomeOf } from './attempt-outcome.ts'
import type { Job } from './claim-jobs.ts'
import type { RecordAttempt } from './conclude-attempts.ts'
import { attemptDuration } from './delivery-metrics.ts'
import type { Post } from './post-webhook.ts'
import { putJobBack } from './put-jobs-back.ts'
import { signatureHeaders } from './webhook-signature.ts'

export interface DeliverDeps {
  db: Database
  post: Post
  record: RecordAttempt
  keys: KeyRing
  waitsMs: readonly number[]
  timeoutMs: number
  leaseMs: number
  logger: Logger
  atStep: AtStep
}

/** The lease of one claim, by this process's own clock. */
export interface Lease {
  /** How much of it is left, in milliseconds. */
  leftMs(): number
}

const recordAgainMs = 500

/**
 * Makes one attempt: sends outside of any transaction, then records. The first attempt belongs to the trace of its event. A
 * retry may come an hour later and gets a trace of its own, linked to it.
 */
export function deliverJob(deps: DeliverDeps, job: Job, lease: Lease): Promise<void> {
  const { request_id, correlation_id, merchant_id } = job
  const work = () => inCall({ request_id, correlation_id, merchant_id }, () => attemptOnce(deps, job, lease))
  if (job.attempt === 1) return withTrace(job.trace, work)
  return inNewTrace('webhook.retry', { links: [job.trace], attributes: { 'cobro.delivery_id': job.delivery_id } }, work)
}

async function attemptOnce(deps: DeliverDeps, job: Job, lease: Lease): Promise<void> {
  const { logger, waitsMs, timeoutMs } = deps
  const about = { delivery_id: job.delivery_id, webhook_id: job.webhook_id, event: job.event, attempt: job.attempt }
  // This process may have stood still since the claim. Whoever claims next notes this attempt as unknown.
  if (lease.leftMs() < timeoutMs) return logger.warn(about, 'a lease ended before its delivery was sent')
  await deps.atStep('leased')
  const at = new Date()
  const headers = signedHeaders(deps, job, at)
  if (!headers) return recordWhileLeased(() => putJobBack(deps, job), lease)
  // Merchants are strangers: none of our trace or correlation headers goes to them.
  const answer = await withPrivateUrl(() => deps.post(job.url, headers, job.body))
  await deps.atStep('sent')
  const outcome = outcomeOf({ number: job.attempt, oneShot: job.one_shot_after !== null }, answer, {
    waitsMs,
    nowMs: Date.now(),
    jitter: Math.random(),
  })
  const trace = captureTrace()
  const held = await recordWhileLeased(() => deps.record({ job, at, answer, outcome, trace }), lease)
  await deps.atStep('recorded')
  const { status_code, error, duration_ms } = answer
  attemptDuration.record((duration_ms ?? 0) / 1_000, { outcome: held ? outcome.kind : 'unknown' })
  if (held) logger.info({ ...about, status_code, error, duration_ms, outcome: outcome.kind }, 'webhook attempt')
  else logger.warn({ ...about, status_code, error }, 'a lease had passed on before its attempt was recorded')
}

/** The headers of a request; undefined where the endpoint's secret cannot be opened, so that nobody would believe it. */
function signedHeaders({ keys, logger }: DeliverDeps, job: Job, at: Date): Record<string, string> | undefined {
  const open = (sealed: string, which: string) => {
    try {
      return unseal(keys, sealed)
    } catch (error) {
      logger.error({ err: error, webhook_id: job.webhook_id }, `the ${which} of a webhook cannot be opened`)
      return null
    }
  }
  const secret = open(job.secret ?? '', 'secret')
  if (secret === null) return undefined
  const previousSecret = job.previous_secret === null ? null : open(job.previous_secret, 'previous secret')
  const timestampSeconds = Math.floor(at.getTime() / 1_000)
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Cobro-Webhooks/1.0',
    'X-Service-Event': job.event,
    'X-Service-Delivery': job.delivery_id,
    ...signatureHeaders({ deliveryId: job.delivery_id, body: job.body, secret, previousSecret, timestampSeconds }),
  }
}

/** A result that cannot be stored yet is worth keeping in hand: without it the delivery would be sent again. */
async function recordWhileLeased<T>(record: () => Promise<T>, lease: Lease): Promise<T> {
  for (;;) {
    try {
      return await record()
    } catch (error) {
      if (!isDatabaseUnavailable(error) || lease.leftMs() < recordAgainMs) throw error
      await pause(recordAgainMs)
    }
  }
}
