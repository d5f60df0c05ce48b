import { httpAcquirer } from '@cobro/acquirer'
import {
  checkMigrated,
  idempotencyOf,
  inboxOf,
  isDatabaseUnavailable,
  openDatabase,
  outboxReader,
} from '@cobro/database'
import { listen, serviceApp, verifyIdentity } from '@cobro/http'
import { openCommandClient, openPublisher, startConsumer, startRelay } from '@cobro/messaging'
import { type Logger, type OnStop, reveal, startInterval } from '@cobro/runtime'
import { migrations } from '../migrations/all-checkout.ts'
import { routes } from './app.ts'
import type { Config } from './config.ts'
import { eventHandler } from './consumers.ts'
import { expireSessionsAndLinks } from './expiry/expire-sessions-and-links.ts'
import { openPageFiles } from './hosted/page-files.ts'
import { openPayerStreams } from './hosted/payer-streams.ts'
import { MerchantEntity } from './merchants/merchant-entity.ts'
import { LinkEntity } from './payables/link-entity.ts'
import { SessionEntity } from './payables/session-entity.ts'
import { PaymentAttemptEntity } from './payment-attempts/payment-attempt-entity.ts'
import { registerPaymentAttemptMetrics } from './payment-attempts/payment-attempt-metrics.ts'
import { resolveAttempts } from './payment-attempts/resolve-attempts.ts'

export const entities = [SessionEntity, LinkEntity, PaymentAttemptEntity, MerchantEntity]

const schema = 'checkout'
const prefetch = 50
const sweepEveryMs = 1_000
const pruneEveryMs = 3_600_000

/** Starts the service from top to bottom and returns its port. Stopping runs in reverse order. */
export async function startCheckout(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const files = openPageFiles()
  const bus = { url: reveal(config.AMQP_URL), namespace: config.AMQP_NAMESPACE, logger }
  const db = openDatabase({ url: reveal(config.DATABASE_URL), schema, entities })
  onStop(db.close)
  registerPaymentAttemptMetrics(db)
  const inbox = inboxOf(db)
  const idempotency = idempotencyOf({ db, logger })
  const publisher = openPublisher(bus)
  onStop(publisher.close)
  const relay = startRelay({ outbox: outboxReader(db), publisher, logger })
  onStop(relay.stop)
  const acquirer = httpAcquirer({ url: config.ACQUIRER_URL, apiKey: config.ACQUIRER_API_KEY, logger })
  onStop(acquirer.close)
  const commands = openCommandClient(bus)
  onStop(commands.close)

  const consumer = startConsumer({
    ...bus,
    queue: 'checkout.events',
    prefetch,
    publisher,
    handle: eventHandler(inbox, schema),
    isUnavailable: isDatabaseUnavailable,
    ping: inbox.ping,
  })
  const sweepers = [
    startInterval(sweepEveryMs, 'expire sessions and links', () => expireSessionsAndLinks(db, logger), logger),
    startInterval(sweepEveryMs, 'resolve attempts', () => resolveAttempts(db, logger), logger),
    startInterval(pruneEveryMs, 'prune', () => Promise.all([inbox.prune(), idempotency.prune()]), logger),
  ]
  // All stop concurrently, so that none takes new work while another finishes.
  onStop(() => Promise.all([consumer, ...sweepers].map(worker => worker.stop())))

  const rules = { environment: config.COBRO_ENV, currencies: config.CURRENCIES, hostedUrl: config.HOSTED_URL }
  const streams = openPayerStreams({ db, acquirer, environment: rules.environment, logger })
  const app = serviceApp({
    routes: routes({ db, inbox, acquirer, commands, files, streams, rules, environment: rules.environment, logger }),
    authenticate: verifyIdentity(config.INTERNAL_JWKS, 'checkout'),
    idempotency,
    ready: () => checkMigrated(db, migrations),
    isUnavailable: isDatabaseUnavailable,
    logger,
  })
  const listening = await listen(app, config.HOST, config.PORT)
  onStop(listening.close)
  // The streams end before the server stops, because it waits for every response in flight.
  onStop(streams.stop)
  onStop(() => listening.drain(config.DRAIN_MS))
  return listening.port
}
