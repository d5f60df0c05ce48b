import { httpAcquirer } from '@cobro/acquirer'
import { idempotencyOf, inboxOf, reconcileDaily, registerReconciliationMetrics } from '@cobro/database'
import { openCommandClient, startConsumer } from '@cobro/messaging'
import { type Logger, type OnStop, reveal, startInterval, timings } from '@cobro/runtime'
import { openConnections, serveRoutes } from '@cobro/service'
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
import { attemptOutcomes } from './payment-attempts/attempt-outcomes.ts'
import { PaymentAttemptEntity } from './payment-attempts/payment-attempt-entity.ts'
import { registerPaymentAttemptMetrics } from './payment-attempts/payment-attempt-metrics.ts'
import { resolveAttempts } from './payment-attempts/resolve-attempts.ts'
import { paymentDifferences } from './reconciliation/compare-with-transactions.ts'
import { foldCheckoutHours } from './reports/fold-checkout-hours.ts'
import { forgetCounted } from './velocity-rules/forget-counted.ts'
import { PaymentBlockEntity } from './velocity-rules/payment-block-entity.ts'
import { velocityLimits } from './velocity-rules/velocity-settings.ts'

/** Every table that this service accesses through the ORM. */
export const entities = [SessionEntity, LinkEntity, PaymentAttemptEntity, MerchantEntity, PaymentBlockEntity]

export const schema = 'checkout'
const prefetch = 50
const sweepEveryMs = 1_000
const foldEveryMs = 1_000
const pruneEveryMs = 3_600_000

/** Starts the service from top to bottom and returns its port. Stopping runs in reverse order. */
export async function startCheckout(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const files = openPageFiles()
  const { bus, db, consumer } = await openConnections(config, { schema, entities }, onStop, logger)
  registerPaymentAttemptMetrics(db)
  registerReconciliationMetrics(db)
  const inbox = inboxOf(db)
  const idempotency = idempotencyOf({ db, logger })
  const acquirer = httpAcquirer({ url: config.ACQUIRER_URL, apiKey: config.ACQUIRER_API_KEY, logger })
  onStop(acquirer.close)
  const { AMQP_COMMANDS_URL: url = config.AMQP_URL } = config
  const openCommands = () => openCommandClient({ ...bus, url: reveal(url) })
  const commands = openCommands()
  onStop(commands.close)

  const environment = config.COBRO_ENV
  const limits = velocityLimits(config, environment)
  const outcomes = attemptOutcomes(inbox, schema, limits)
  const handle = eventHandler(inbox, outcomes, schema)
  const expire = (stopping: AbortSignal) => expireSessionsAndLinks(db, logger, stopping)
  const reconcile = (stopping: AbortSignal) =>
    reconcileDaily({ db, logger, stopping }, period => paymentDifferences({ db, openCommands }, period))
  const prune = () => Promise.all([inbox.prune(), idempotency.prune(), forgetCounted(db, limits)])
  const workers = [
    startConsumer({ ...consumer, queue: 'checkout.events', prefetch, handle }),
    startInterval(sweepEveryMs, 'expire sessions and links', expire, logger),
    startInterval(sweepEveryMs, 'resolve attempts', stopping => resolveAttempts(db, logger, stopping), logger),
    startInterval(timings.readOutcome, 'find completed attempts', () => outcomes.findCompleted(db), logger),
    startInterval(foldEveryMs, 'fold checkout hours', () => foldCheckoutHours(db), logger),
    startInterval(timings.reconcile, 'reconcile', reconcile, logger),
    startInterval(pruneEveryMs, 'prune', prune, logger),
  ]
  // All stop at the same time, so that none starts new work while another finishes its own.
  onStop(() => Promise.all(workers.map(worker => worker.stop())))

  const rules = { environment, currencies: config.CURRENCIES, hostedUrl: config.HOSTED_URL }
  const streams = openPayerStreams({ db, acquirer, environment, limits, logger })
  const app = {
    name: 'checkout' as const,
    routes: routes({ db, outcomes, acquirer, commands, files, streams, rules, environment, limits, logger }),
    idempotency,
    db,
    migrations,
    endStreams: streams.stop,
  }
  return serveRoutes(config, app, onStop, logger)
}
