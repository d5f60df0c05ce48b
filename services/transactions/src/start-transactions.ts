import { httpAcquirer, type SandboxControls, sandboxControls } from '@cobro/acquirer'
import {
  checkMigrated,
  idempotencyOf,
  inboxOf,
  isDatabaseUnavailable,
  openDatabase,
  outboxReader,
} from '@cobro/database'
import { listen, serviceApp, verifyIdentity } from '@cobro/http'
import { dispatch, openPublisher, startConsumer, startRelay } from '@cobro/messaging'
import { type Logger, type OnStop, reveal, startInterval } from '@cobro/runtime'
import { migrations } from '../migrations/all-transactions.ts'
import { routes } from './app.ts'
import type { Config } from './config.ts'
import { commandHandlers, eventHandlers } from './consumers.ts'
import { registerDailyRunMetrics } from './daily-run/daily-run-metrics.ts'
import { runDueDays } from './daily-run/daily-schedule.ts'
import { entities } from './entities.ts'
import { checkRefunds } from './refunds/check-refunds.ts'
import { registerRefundMetrics } from './refunds/refund-metrics.ts'
import { chargeBatches } from './transactions/charge-batches.ts'
import type { ChargeDeps } from './transactions/charge-payment.ts'
import { checkPending } from './transactions/check-pending.ts'
import { foldCounts } from './transactions/count-transactions.ts'

const prefetch = 100
const checkEveryMs = 1_000
const foldEveryMs = 1_000
const lookForDayEveryMs = 60_000
const pruneEveryMs = 3_600_000

/** Starts the service, top to bottom; the reverse order stops it. Gives the port it listens on. */
export async function startTransactions(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const bus = { url: reveal(config.AMQP_URL), namespace: config.AMQP_NAMESPACE, logger }
  const db = openDatabase({ url: reveal(config.DATABASE_URL), schema: 'transactions', entities })
  onStop(db.close)
  const inbox = inboxOf(db)
  const idempotency = idempotencyOf({ db, logger })
  const publisher = openPublisher(bus)
  onStop(publisher.close)
  const relay = startRelay({ outbox: outboxReader(db), publisher, logger })
  onStop(relay.stop)
  const acquirer = httpAcquirer({ url: config.ACQUIRER_URL, apiKey: config.ACQUIRER_API_KEY, logger })
  onStop(acquirer.close)
  const sandbox = openSandbox(config)
  if (sandbox) onStop(sandbox.close)

  const deps = { db, acquirer }
  const stop = new AbortController()
  const checking = { ...deps, stopping: stop.signal }
  const handlers = commandHandlers({ ...deps, batches: chargeBatches(db) })
  const consuming = { ...bus, prefetch, publisher, isUnavailable: isDatabaseUnavailable, ping: db.ping }
  const workers = [
    startConsumer({
      ...consuming,
      queue: 'transactions.commands',
      handle: async (message, reply) => void (await dispatch(handlers, message, reply)),
    }),
    startConsumer({
      ...consuming,
      queue: 'transactions.events',
      handle: async message =>
        void (await inbox.once(
          message.id,
          async (tx, emit) => void (await dispatch(eventHandlers, message, { tx, emit })),
        )),
    }),
    ...startClocks(checking, logger),
    startInterval(pruneEveryMs, 'prune', () => Promise.all([inbox.prune(), idempotency.prune()]), logger),
  ]
  // Told at once, so that none takes new work while another finishes its own.
  onStop(() => Promise.all(workers.map(worker => worker.stop())))
  onStop(() => stop.abort())

  const app = serviceApp({
    routes: routes({ ...deps, sandbox, currencies: config.CURRENCIES, logger }),
    authenticate: verifyIdentity(config.INTERNAL_JWKS, 'transactions'),
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

/** What is done because its time has come, and not because somebody asked, and how far behind it is. */
function startClocks(checking: ChargeDeps & { stopping: AbortSignal }, logger: Logger) {
  const { db } = checking
  registerRefundMetrics(db)
  registerDailyRunMetrics(db)
  return [
    startInterval(checkEveryMs, 'check pending charges', () => checkPending(checking, logger), logger),
    startInterval(checkEveryMs, 'check refunds', () => checkRefunds(checking, logger), logger),
    startInterval(foldEveryMs, 'fold counts', () => foldCounts(db), logger),
    startInterval(lookForDayEveryMs, 'daily run', () => runDueDays({ ...checking, logger }), logger),
  ]
}

function openSandbox({ COBRO_ENV, ACQUIRER_URL: url, ACQUIRER_API_KEY: apiKey }: Config): SandboxControls | undefined {
  return COBRO_ENV === 'sandbox' ? sandboxControls({ url, apiKey }) : undefined
}
