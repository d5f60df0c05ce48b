import {
  checkMigrated,
  type Database,
  idempotencyOf,
  inboxOf,
  isDatabaseUnavailable,
  openDatabase,
  outboxReader,
} from '@cobro/database'
import { listen, serviceApp, verifyIdentity } from '@cobro/http'
import { openPublisher, startConsumer, startRelay } from '@cobro/messaging'
import { type Logger, type OnStop, reveal, startInterval } from '@cobro/runtime'
import { migrations } from '../migrations/all-webhooks.ts'
import { routes } from './app.ts'
import type { Config } from './config.ts'
import { eventHandler } from './consumers.ts'
import { openPoster } from './sending/post-webhook.ts'
import { openResolver } from './sending/resolve-name.ts'
import { startSender } from './sending/start-sender.ts'
import type { AtStep } from './steps.ts'
import { AttemptEntity, DeliveryEntity, SentEventEntity } from './webhook-deliveries/delivery-entity.ts'
import { EndpointEntity } from './webhooks/endpoint-entity.ts'
import { forgetPreviousSecrets } from './webhooks/forget-previous-secrets.ts'

export const entities = [EndpointEntity, SentEventEntity, DeliveryEntity, AttemptEntity]

export const schema = 'webhooks'
const queue = 'webhooks-dispatcher.events'
/** Messages in hand share a transaction: while one batch is written, the next can arrive. */
const prefetch = 200
/** How many times the deadline of an attempt its lease lasts: nothing has to be renewed, and no live sender loses it. */
const leaseFactor = 6
/** A process that froze within a transaction keeps every replica from the endpoints that it has locked there. */
const standstillMs = 5_000
const pruneEveryMs = 3_600_000
const monthsAhead = 3

/** Starts the service, top to bottom; the reverse order stops it. Gives the port it listens on. */
export async function startWebhooksDispatcher(
  config: Config,
  onStop: OnStop,
  { logger, atStep }: { logger: Logger; atStep: AtStep },
): Promise<number> {
  const bus = { url: reveal(config.AMQP_URL), namespace: config.AMQP_NAMESPACE, logger }
  const db = openDatabase({ url: reveal(config.DATABASE_URL), schema, entities, standstillMs })
  onStop(db.close)
  const publisher = openPublisher(bus)
  onStop(publisher.close)
  const relay = startRelay({ outbox: outboxReader(db), publisher, logger })
  onStop(relay.stop)

  const { WEBHOOK_TIMEOUT_MS: timeoutMs, WEBHOOK_WAITS_MS: waitsMs, ENCRYPTION_KEYS: keys } = config
  const rules = { httpsOnly: config.COBRO_ENV === 'production', allowPrivate: config.WEBHOOKS_ALLOW_PRIVATE }
  if (rules.allowPrivate) logger.warn('WEBHOOKS_ALLOW_PRIVATE is set: webhooks may be sent to private addresses')
  const resolve = openResolver()
  const poster = openPoster({ timeoutMs, ...(rules.allowPrivate ? {} : { resolve }) })
  onStop(poster.close)
  const leaseMs = leaseFactor * timeoutMs
  const sender = startSender({ db, post: poster.post, keys, waitsMs, timeoutMs, leaseMs, logger, atStep })
  onStop(sender.stop)

  const inbox = inboxOf(db)
  const handle = eventHandler({ inbox, sender, atStep })
  const { ping } = inbox
  const consumer = startConsumer({
    ...bus,
    queue,
    prefetch,
    publisher,
    handle,
    isUnavailable: isDatabaseUnavailable,
    ping,
  })
  onStop(consumer.stop)
  const idempotency = idempotencyOf({ db, keys, logger })
  const prune = () => Promise.all([inbox.prune(), idempotency.prune(), forgetPreviousSecrets(db)])
  const pruning = startInterval(pruneEveryMs, 'prune', prune, logger)
  onStop(pruning.stop)
  const partitioning = startInterval(pruneEveryMs, 'make partitions', () => makePartitions(db), logger)
  onStop(partitioning.stop)

  const app = serviceApp({
    routes: routes({ db, keys, rules, resolve, sender }),
    authenticate: verifyIdentity(config.INTERNAL_JWKS, 'webhooks-dispatcher'),
    idempotency,
    ready: () => checkMigrated(db, migrations),
    isUnavailable: isDatabaseUnavailable,
    logger,
  })
  const listening = await listen(app, config.HOST, config.PORT)
  onStop(listening.close)
  onStop(() => listening.drain(config.DRAIN_MS))
  return listening.port
}

/** Makes sure that attempts of the coming months have somewhere to go. */
async function makePartitions(db: Database): Promise<void> {
  await db.read(em => em.execute('select webhooks.make_attempt_partitions(?)', [monthsAhead]))
}
