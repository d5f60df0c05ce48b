import { idempotencyOf, inboxOf } from '@cobro/database'
import { startConsumer } from '@cobro/messaging'
import { type Logger, type OnStop, startInterval } from '@cobro/runtime'
import { openConnections, serveRoutes } from '@cobro/service'
import { migrations } from '../migrations/all-webhooks.ts'
import { routes } from './app.ts'
import type { Config } from './config.ts'
import { eventHandler } from './consumers.ts'
import { cancelInactiveQueues } from './delivery-queue/cancel-queued-deliveries.ts'
import type { ReachFailpoint } from './delivery-queue/failpoints.ts'
import { releaseHeld } from './delivery-queue/release-held.ts'
import { openFeedWaits } from './event-feed/await-events.ts'
import { foldAttemptHours } from './reports/fold-attempt-hours.ts'
import { openWebhookClient } from './sending/post-webhook.ts'
import { startSender } from './sending/start-sender.ts'
import { openHostnameResolver } from './ssrf-guard/resolve-hostname.ts'
import { DeliveryEntity, SentEventEntity, WebhookAttemptEntity } from './webhook-deliveries/delivery-entity.ts'
import { EndpointEntity } from './webhooks/endpoint-entity.ts'
import { deleteExpiredSecrets } from './webhooks/rotate-secret.ts'

export const entities = [EndpointEntity, SentEventEntity, DeliveryEntity, WebhookAttemptEntity]

export const schema = 'webhooks'
const queue = 'webhooks-dispatcher.events'
/** Twice the batch size: the next batch can arrive while one is written. */
const prefetch = 200
/** A lease lasts this many attempt timeouts: it needs no renewal, and no live sender loses it. */
const leaseFactor = 6
/** How the service uses its schema, which has queues. Ends a suspended process's transaction, which blocks them for all replicas. */
export const connections = { schema, entities, prefersIndexes: true, idleInTransactionTimeoutMs: 5_000 }
const pruneEveryMs = 3_600_000
const foldEveryMs = 1_000
const releaseEveryMs = 250
const cancelEveryMs = 500
const monthsAhead = 3

/** Starts the service. `onStop` callbacks run in reverse order. Returns the port it listens on. */
export async function startWebhooksDispatcher(
  config: Config,
  onStop: OnStop,
  { logger, failpoint }: { logger: Logger; failpoint: ReachFailpoint },
): Promise<number> {
  const { db, consumer } = await openConnections(config, connections, onStop, logger)

  const { WEBHOOK_TIMEOUT_MS: timeoutMs, WEBHOOK_RETRY_DELAYS_MS: retryDelaysMs, ENCRYPTION_KEYS: keys } = config
  const rules = { httpsOnly: config.COBRO_ENV === 'production', allowPrivate: config.WEBHOOKS_ALLOW_PRIVATE }
  if (rules.allowPrivate) logger.warn('WEBHOOKS_ALLOW_PRIVATE is set: webhooks may be sent to private addresses')
  const resolve = openHostnameResolver()
  const poster = openWebhookClient(timeoutMs, rules.allowPrivate ? undefined : resolve)
  onStop(poster.close)
  const leaseMs = leaseFactor * timeoutMs
  const { WEBHOOK_SENDS_PER_SECOND: sendsPerSecond, WEBHOOK_ENDPOINTS_PER_MERCHANT: maxEndpoints } = config
  const sending = { retryDelaysMs, timeoutMs, leaseMs, sendsPerSecond }
  const sender = startSender({ db, post: poster.post, keys, ...sending, logger, failpoint })
  onStop(sender.stop)
  const release = async () => sender.wake(await releaseHeld(db))
  const cancel = () => cancelInactiveQueues(db)
  onStop(startInterval(cancelEveryMs, 'cancel queues of inactive endpoints', cancel, logger).stop)
  onStop(startInterval(releaseEveryMs, 'release held redeliveries', release, logger).stop)

  const inbox = inboxOf(db)
  const waits = openFeedWaits({ db, logger })
  onStop(waits.stop)
  const handle = eventHandler({ inbox, sender, waits, failpoint })
  onStop(startConsumer({ ...consumer, queue, prefetch, handle }).stop)
  const idempotency = idempotencyOf({ db, keys, logger })
  const prune = () => Promise.all([inbox.prune(), idempotency.prune(), deleteExpiredSecrets(db)])
  onStop(startInterval(pruneEveryMs, 'prune', prune, logger).stop)
  const makePartitions = () => db.execute('select webhooks.make_attempt_partitions(?)', [monthsAhead])
  onStop(startInterval(pruneEveryMs, 'make partitions', makePartitions, logger).stop)

  onStop(startInterval(foldEveryMs, 'fold attempt hours', () => foldAttemptHours(db), logger).stop)

  const served = {
    routes: routes({ db, keys, rules, resolve, sender, waits, maxEndpoints }),
    idempotency,
    db,
    migrations,
  }
  const port = await serveRoutes(config, { name: 'webhooks-dispatcher', ...served }, onStop, logger)
  // Called before the server drains, which then answers the calls that wait at once.
  onStop(waits.end)
  return port
}
