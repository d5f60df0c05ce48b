import { setTimeout as pause } from 'node:timers/promises'
import { type Database, isDatabaseUnavailable } from '@cobro/database'
import {
  captureTrace,
  inNewTrace,
  type KeyRing,
  type Logger,
  withCallContext,
  withPrivateUrl,
  withTrace,
} from '@cobro/runtime'
import type { ClaimedDelivery } from '../delivery-queue/claim-deliveries.ts'
import type { ReachFailpoint } from '../delivery-queue/failpoints.ts'
import { requeueDelivery } from '../delivery-queue/requeue-deliveries.ts'
import { attemptDuration } from './delivery-metrics.ts'
import type { PostWebhook } from './post-webhook.ts'
import type { RecordAttempt } from './record-attempts.ts'
import { decideOutcome } from './retry-policy.ts'
import { openSigningKeys } from './signing-keys.ts'
import { signatureHeaders } from './webhook-signature.ts'

export interface AttemptDeps {
  db: Database
  post: PostWebhook
  record: RecordAttempt
  keys: KeyRing
  retryDelaysMs: readonly number[]
  timeoutMs: number
  leaseMs: number
  logger: Logger
  failpoint: ReachFailpoint
}

/** The lease of a claim, measured by the clock of this process. */
export interface Lease {
  /** Returns the time until the lease expires, in milliseconds. */
  leftMs(): number
}

const databaseRetryMs = 500

/**
 * Makes one attempt: sends outside of any transaction, then records the result.
 * A failure is logged: the lease ends, and another attempt follows. A first attempt is in the trace of its event. A retry, maybe an hour later, has its own trace with a link to it.
 */
export function attemptDelivery(deps: AttemptDeps, delivery: ClaimedDelivery, lease: Lease): Promise<void> {
  const { request_id, correlation_id, merchant_id } = delivery
  const work = () =>
    withCallContext({ request_id, correlation_id, merchant_id }, () =>
      attemptOnce(deps, delivery, lease).catch(err =>
        deps.logger.error({ err, delivery_id: delivery.delivery_id }, 'webhook attempt not recorded'),
      ),
    )
  if (delivery.attempt === 1) return withTrace(delivery.trace, work)
  const attributes = { 'cobro.delivery_id': delivery.delivery_id }
  return inNewTrace('webhook.retry', { links: [delivery.trace], attributes }, work)
}

async function attemptOnce(deps: AttemptDeps, delivery: ClaimedDelivery, lease: Lease): Promise<void> {
  const { logger, retryDelaysMs, timeoutMs } = deps
  const { delivery_id, webhook_id, event, attempt } = delivery
  const context = { delivery_id, webhook_id, event, attempt }
  // If this process was suspended since the claim, another sender records this attempt as unknown.
  if (lease.leftMs() < timeoutMs) return logger.warn(context, 'webhook not sent: its lease expired before the attempt')
  await deps.failpoint('leased')
  const sentAt = new Date()
  const headers = signedHeaders(deps, delivery, sentAt)
  if (!headers) return whileLeased(() => requeueDelivery(deps, delivery), lease)
  // No trace or correlation headers of ours go to merchants.
  const response = await withPrivateUrl(() => deps.post(delivery.url, headers, delivery.body))
  await deps.failpoint('sent')
  const clock = { retryDelaysMs, nowMs: Date.now(), jitter: Math.random() }
  const outcome = decideOutcome({ number: attempt, oneShot: delivery.one_shot_after !== null }, response, clock)
  const trace = captureTrace()
  const held = await whileLeased(() => deps.record({ delivery, sentAt, response, outcome, trace }), lease)
  await deps.failpoint('recorded')
  const { status_code, error, duration_ms } = response
  attemptDuration.record((duration_ms ?? 0) / 1_000, { outcome: held ? outcome.kind : 'unknown' })
  if (held) logger.info({ ...context, status_code, error, duration_ms, outcome: outcome.kind }, 'webhook attempt')
  else logger.warn({ ...context, status_code, error }, 'webhook attempt not recorded: its lease was lost')
}

/** Returns the request headers, or undefined if the secret of the endpoint cannot be decrypted. */
function signedHeaders({ keys: keyRing, logger }: AttemptDeps, delivery: ClaimedDelivery, sentAt: Date) {
  const { delivery_id: deliveryId, webhook_id, body } = delivery
  const open = (sealed: string, which: string) => {
    try {
      return openSigningKeys(keyRing, sealed)
    } catch (error) {
      logger.error({ err: error, webhook_id }, `cannot decrypt the ${which} of a webhook`)
      return null
    }
  }
  const keys = open(delivery.secret ?? '', 'secret')
  if (keys === null) return undefined
  const previousKeys = delivery.previous_secret === null ? null : open(delivery.previous_secret, 'previous secret')
  const timestampSeconds = Math.floor(sentAt.getTime() / 1_000)
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Cobro-Webhooks/1.0',
    'X-Service-Event': delivery.event,
    'X-Service-Delivery': deliveryId,
    ...(delivery.sequence === null ? {} : { 'X-Service-Sequence': String(delivery.sequence) }),
    ...signatureHeaders({ deliveryId, body, keys, previousKeys, timestampSeconds }),
  }
}

/** Retries while the lease lasts and the database is down: losing a result resends the webhook. */
async function whileLeased<T>(write: () => Promise<T>, lease: Lease): Promise<T> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isDatabaseUnavailable(error) || lease.leftMs() < databaseRetryMs) throw error
      await pause(databaseRetryMs)
    }
  }
}
