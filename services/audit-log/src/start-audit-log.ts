import { checkMigrated, isDatabaseUnavailable } from '@cobro/database'
import { startConsumer } from '@cobro/messaging'
import { groupCommit, type Logger, type OnStop, startInterval, type TraceCarrier } from '@cobro/runtime'
import { openConnections, openSchema, serveRoutes } from '@cobro/service'
import { migrations } from '../migrations/all-audit-log.ts'
import { routes } from './app.ts'
import type { Config } from './config.ts'
import { recordCalls, recordEvent, recordWebhookAttempts, turnsOfEventLoop } from './consumers.ts'
import { appendRecords, type TracedLeaf, tracedLeaf } from './events/append-records.ts'
import { AuditEventEntity } from './events/audit-event-entity.ts'
import type { AuditRecord } from './events/audit-record.ts'
import { makePartitions } from './events/make-partitions.ts'
import { CheckpointEntity } from './integrity/checkpoint-entity.ts'
import { followLog } from './integrity/follow-log.ts'
import { registerVerificationMetric, verifyNewest } from './integrity/verify-on-schedule.ts'
import { openRequestWaits } from './requests/tail-requests.ts'
import { registerSizeMetrics } from './retention/log-size.ts'
import { backfillTree } from './tree/backfill-tree.ts'
import { openWitness } from './tree/checkpoint-witness.ts'
import { withTreeAlarm } from './tree/tree-alarm.ts'
import { isTreeBroken } from './tree/tree-head.ts'

export const schema = 'audit'
const entities = [AuditEventEntity, CheckpointEntity]
const maxBatch = 1_000
/**
 * How many messages of many events may be in flight on each queue until their batch is stored.
 * Under load each has 50 calls or 100 events of webhook attempts. With less load each of many gateways publishes five messages
 * a second, with few calls.
 */
const manyPrefetch = 100
/**
 * No one waits for the log, and each batch costs a lock, a signature and a commit: with 250 ms instead of 100, the service
 * used a sixth less CPU time for a payment at 40 payments a second.
 */
const gatherMs = 250
/** Merchants list their calls over connections of their own, so that slow lists do not hold up anything else. */
const listLimits = { poolSize: 4, statementTimeoutMs: 5_000 }
const partitionsEveryMs = 3_600_000
const followEveryMs = 10_000
const verifyEveryMs = 6 * 3_600_000

/** Starts the service from top to bottom and returns its port. Stopping runs in reverse order. */
export async function startAuditLog(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const { db, consumer } = await openConnections(config, { schema, entities, outbox: false }, onStop, logger)

  const { AUDIT_SIGNING_KEY: key, AUDIT_CHECKPOINT_FILE: file } = config
  const keys = [key, ...config.AUDIT_PUBLIC_KEYS]
  const log = { db, key, keys, witness: await openWitness(file, keys, logger) }
  const follow = withTreeAlarm(() => followLog(log), logger)
  const prepareOnce = async () => {
    await checkMigrated(db, migrations)
    await makePartitions({ db, logger })
    await follow()
    await backfillTree(log)
  }
  const prepare = shareRunning(withTreeAlarm(prepareOnce, logger))
  const isUnavailable = (error: unknown) => isDatabaseUnavailable(error) || isTreeBroken(error)
  const write = (batch: TracedLeaf[]) => appendRecords(log, batch)
  const append = groupCommit({ write, maxItems: maxBatch, isUnavailable, gatherMs })
  const store = (record: AuditRecord, trace: TraceCarrier) => append(tracedLeaf(record, trace))
  const options = { ...consumer, isUnavailable, ping: prepare }
  const ofEvents = { queue: 'audit-log.events', prefetch: 2 * maxBatch, handle: recordEvent({ store }) } as const
  onStop(startConsumer({ ...options, ...ofEvents }).stop)
  const many = { store, isUnavailable, turn: turnsOfEventLoop() }
  const ofMany = [
    { queue: 'audit-log.calls', handle: recordCalls(many) },
    { queue: 'audit-log.webhook-attempts', handle: recordWebhookAttempts(many) },
  ] as const
  for (const one of ofMany) onStop(startConsumer({ ...options, ...one, prefetch: manyPrefetch }).stop)
  onStop(startInterval(partitionsEveryMs, 'make partitions', prepare, logger).stop)
  onStop(startInterval(followEveryMs, 'follow the log', follow, logger).stop)
  registerVerificationMetric()
  registerSizeMetrics(db, config.AUDIT_SIZE_BUDGET_GB)
  onStop(startInterval(verifyEveryMs, 'verify the log', () => verifyNewest(log, file, logger), logger).stop)

  const lists = openSchema(config.DATABASE_URL, { schema, entities, ...listLimits }, onStop)
  const waits = openRequestWaits({ db, logger })
  onStop(waits.stop)
  const served = { routes: routes({ ...log, lists, waits, logger }), db, migrations }
  const port = await serveRoutes(config, { name: 'audit-log', ...served }, onStop, logger)
  // Called before the server drains, which then answers the calls that wait at once.
  onStop(waits.end)
  return port
}

/** Lets callers share a run in progress, so that 1,000 waiting messages query the database once. */
function shareRunning(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}
