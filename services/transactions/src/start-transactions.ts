import { httpAcquirer, sandboxControls } from '@cobro/acquirer'
import { idempotencyOf, inboxOf, reconcileDaily, registerReconciliationMetrics } from '@cobro/database'
import { dispatch, startConsumer } from '@cobro/messaging'
import { type Logger, type OnStop, startInterval, timings } from '@cobro/runtime'
import { openConnections, serveRoutes } from '@cobro/service'
import { migrations } from '../migrations/all-transactions.ts'
import type { AcquirerDeps } from './acquirer/acquirer-deps.ts'
import { routes } from './app.ts'
import { registerApprovalMetrics } from './approvals/approval-metrics.ts'
import { dualControlOf } from './approvals/approval-rules.ts'
import { lapseApprovals } from './approvals/lapse-approvals.ts'
import { chargeBatches } from './charges/charge-batches.ts'
import type { Config } from './config.ts'
import { commandHandlers, eventHandlers } from './consumers.ts'
import { registerDailyRunMetrics } from './daily-run/daily-run-metrics.ts'
import { runDueDays } from './daily-run/run-due-days.ts'
import { entities } from './entities.ts'
import { checkPendingPayments } from './pending-payments/check-pending-payments.ts'
import { ledgerDifferences } from './reconciliation/compare-with-ledger.ts'
import { checkRefunds } from './refunds/check-refunds.ts'
import { registerRefundMetrics } from './refunds/refund-metrics.ts'
import { applyDueBankChanges } from './settlement-config/bank-changes.ts'
import { sealStoredAccounts } from './settlement-config/seal-stored-accounts.ts'
import { foldCounts } from './transactions/count-transactions.ts'

export const schema = 'transactions'
const prefetch = 100
const checkEveryMs = 1_000
const foldEveryMs = 1_000
const dailyRunEveryMs = 60_000
const bankChangesEveryMs = 60_000
const lapseEveryMs = 60_000
const pruneEveryMs = 3_600_000
const sealEveryMs = 3_600_000

/** Starts the service from top to bottom and returns its port. It stops in the reverse order. */
export async function startTransactions(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const { db, consumer } = await openConnections(config, { schema, entities }, onStop, logger)
  const inbox = inboxOf(db)
  const { ACQUIRER_URL: url, ACQUIRER_API_KEY: apiKey, ENCRYPTION_KEYS: accountKeys } = config
  const idempotency = idempotencyOf({ db, keys: accountKeys, logger })
  const acquirer = httpAcquirer({ url, apiKey, logger })
  onStop(acquirer.close)
  const sandbox = config.COBRO_ENV === 'sandbox' ? sandboxControls({ url, apiKey }) : undefined
  if (sandbox) onStop(sandbox.close)

  const deps = { db, acquirer }
  const handlers = commandHandlers({ ...deps, batches: chargeBatches(db) })
  const workers = [
    startConsumer({
      ...consumer,
      prefetch,
      queue: 'transactions.commands',
      handle: (message, reply) => dispatch(handlers, message, reply),
    }),
    startConsumer({
      ...consumer,
      prefetch,
      queue: 'transactions.events',
      handle: message => inbox.once(message.id, (tx, emit) => dispatch(eventHandlers, message, { tx, emit })),
    }),
    ...startPeriodicTasks(deps, logger),
    startInterval(sealEveryMs, 'seal accounts', () => sealStoredAccounts(db, accountKeys), logger),
    startInterval(pruneEveryMs, 'prune', () => Promise.all([inbox.prune(), idempotency.prune()]), logger),
  ]
  // All are stopped at once, so that none accepts new work while another finishes.
  onStop(() => Promise.all(workers.map(worker => worker.stop())))

  const app = {
    name: 'transactions' as const,
    routes: routes({
      ...deps,
      sandbox,
      bankHoldMs: ageMs(config, config.BANK_CHANGE_HOLD_HOURS),
      approverAgeMs: ageMs(config, config.APPROVER_AGE_HOURS),
      dualControl: dualControlOf(config),
      accountKeys,
      currencies: config.CURRENCIES,
      supportRefundCents: config.SUPPORT_REFUND_CENTS,
      confirmedRefundCents: config.CONFIRMED_REFUND_CENTS,
      logger,
    }),
    idempotency,
    db,
    migrations,
  }
  return serveRoutes(config, app, onStop, logger)
}

/** Starts the periodic tasks and the metrics of how far behind they are. */
function startPeriodicTasks(deps: AcquirerDeps, logger: Logger) {
  const { db } = deps
  const checkPayments = (stopping: AbortSignal) => checkPendingPayments({ ...deps, stopping }, logger)
  const reconcile = (stopping: AbortSignal) =>
    reconcileDaily({ db, logger, stopping }, period => ledgerDifferences(db, period))
  registerRefundMetrics(db)
  registerApprovalMetrics(db)
  registerDailyRunMetrics(db)
  registerReconciliationMetrics(db)
  return [
    startInterval(checkEveryMs, 'check pending payments', checkPayments, logger),
    startInterval(checkEveryMs, 'check refunds', stopping => checkRefunds({ ...deps, stopping }, logger), logger),
    startInterval(foldEveryMs, 'fold counts', () => foldCounts(db), logger),
    startInterval(bankChangesEveryMs, 'apply bank changes', () => applyDueBankChanges(db), logger),
    startInterval(lapseEveryMs, 'lapse approvals', () => lapseApprovals(db), logger),
    startInterval(dailyRunEveryMs, 'daily run', stopping => runDueDays({ db, stopping, logger }), logger),
    startInterval(timings.reconcile, 'reconcile', reconcile, logger),
  ]
}

const defaultHours = { sandbox: 0, production: 72 }

/** Returns the time that a setting of hours stands for: of a new bank account's hold, or of an approver's age. */
function ageMs({ COBRO_ENV: environment }: Config, hours: number | undefined): number {
  return (hours ?? defaultHours[environment]) * 3_600_000
}
