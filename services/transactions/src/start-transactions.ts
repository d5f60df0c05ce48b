import { httpAcquirer } from '@cobro/acquirer'
import { checkMigrated, idempotencyOf, isDatabaseAway, openDatabase, outboxReader } from '@cobro/database'
import { listen, serviceApp, verifyIdentity } from '@cobro/http'
import { dispatch, openPublisher, startConsumer, startRelay } from '@cobro/messaging'
import { every, type Logger, type OnStop } from '@cobro/runtime'
import { migrations } from '../migrations/all-transactions.ts'
import { routes } from './app.ts'
import type { Config } from './config.ts'
import { commandHandlers } from './consumers.ts'
import { RefundEntity } from './refunds/refund-entity.ts'
import { SucursalEntity } from './sucursales/sucursal-entity.ts'
import { TerminalEntity } from './terminales/terminal-entity.ts'
import { checkPending } from './transactions/check-pending.ts'
import { TransactionEntity } from './transactions/transaction-entity.ts'

export const entities = [TransactionEntity, RefundEntity, SucursalEntity, TerminalEntity]

const prefetch = 50
const checkEveryMs = 1_000
const pruneEveryMs = 3_600_000

/** Starts the service, top to bottom; the reverse order stops it. Gives the port it listens on. */
export async function startTransactions(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const bus = { url: config.AMQP_URL, namespace: config.AMQP_NAMESPACE, logger }
  const db = openDatabase({ url: config.DATABASE_URL, schema: 'transactions', entities })
  onStop(db.close)
  const idempotency = idempotencyOf({ db, logger })
  const publisher = openPublisher(bus)
  onStop(publisher.close)
  const relay = startRelay({ outbox: outboxReader(db), publisher, logger })
  onStop(relay.stop)
  const acquirer = httpAcquirer({ url: config.ACQUIRER_URL, apiKey: config.ACQUIRER_API_KEY, logger })
  onStop(acquirer.close)

  const deps = { db, acquirer }
  const handlers = commandHandlers(deps)
  const consumer = startConsumer({
    ...bus,
    queue: 'transactions.commands',
    prefetch,
    publisher,
    handle: async (message, reply) => void (await dispatch(handlers, message, reply)),
    isAway: isDatabaseAway,
    ping: db.ping,
  })
  const checks = every(checkEveryMs, 'check pending charges', () => checkPending(deps, logger), logger)
  const pruning = every(pruneEveryMs, 'prune Idempotency-Keys', idempotency.prune, logger)
  // Told at once, so that none takes new work while another finishes its own.
  onStop(() => Promise.all([consumer, checks, pruning].map(worker => worker.stop())))

  const app = serviceApp({
    routes: routes(deps),
    authenticate: verifyIdentity(config.INTERNAL_JWKS, 'transactions'),
    idempotency,
    ready: () => checkMigrated(db, migrations),
    isAway: isDatabaseAway,
    logger,
  })
  const listening = await listen(app, config.HOST, config.PORT)
  onStop(listening.close)
  return listening.port
}
