import { checkMigrated, isDatabaseUnavailable, openDatabase } from '@cobro/database'
import { listen, serviceApp, verifyIdentity } from '@cobro/http'
import { openPublisher, startConsumer } from '@cobro/messaging'
import { batchWriter, type Logger, type OnStop, reveal, startInterval } from '@cobro/runtime'
import { migrations } from '../migrations/all-audit-log.ts'
import { routes } from './app.ts'
import type { Config } from './config.ts'
import { recordEvent } from './consumers.ts'
import { appendRecords, type TracedLeaf, tracedLeaf } from './events/append-records.ts'
import { AuditEventEntity } from './events/audit-event-entity.ts'
import { makePartitions } from './events/make-partitions.ts'
import { CheckpointEntity } from './integrity/checkpoint-entity.ts'
import { backfillTree } from './tree/backfill-tree.ts'
import { checkpointWitness } from './tree/checkpoint-witness.ts'
import { withTreeAlarm } from './tree/tree-alarm.ts'
import { isTreeBroken } from './tree/tree-head.ts'

const maxBatch = 1_000
const partitionsEveryMs = 3_600_000

/** Starts the service. `onStop` callbacks run in reverse order. Returns the port it listens on. */
export async function startAuditLog(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const bus = { url: reveal(config.AMQP_URL), namespace: config.AMQP_NAMESPACE, logger }
  const db = openDatabase({
    url: reveal(config.DATABASE_URL),
    schema: 'audit',
    entities: [AuditEventEntity, CheckpointEntity],
  })
  onStop(db.close)
  const publisher = openPublisher(bus)
  onStop(publisher.close)

  const { AUDIT_SIGNING_KEY: key, AUDIT_CHECKPOINT_FILE: file } = config
  const log = { db, key, witness: checkpointWitness(file, logger) }
  const ready = () => checkMigrated(db, migrations)
  const prepareOnce = async () => {
    await ready()
    await makePartitions({ db, logger })
    await backfillTree(log)
  }
  const prepare = shareRunning(withTreeAlarm(prepareOnce, logger))
  const isUnavailable = (error: unknown) => isDatabaseUnavailable(error) || isTreeBroken(error)
  const store = batchWriter<TracedLeaf>({
    write: batch => appendRecords(log, batch),
    maxItems: maxBatch,
    isUnavailable,
  })
  const consumer = startConsumer({
    ...bus,
    queue: 'audit-log.events',
    prefetch: 2 * maxBatch,
    publisher,
    handle: recordEvent({ store: record => store(tracedLeaf(record)) }),
    isUnavailable,
    ping: prepare,
  })
  onStop(consumer.stop)
  const partitions = startInterval(partitionsEveryMs, 'make partitions', prepare, logger)
  onStop(partitions.stop)

  const app = serviceApp({
    routes: routes({ db, keys: [key, ...config.AUDIT_PUBLIC_KEYS], logger }),
    authenticate: verifyIdentity(config.INTERNAL_JWKS, 'audit-log'),
    ready,
    isUnavailable: isDatabaseUnavailable,
    logger,
  })
  const listening = await listen(app, config.HOST, config.PORT)
  onStop(listening.close)
  onStop(() => listening.drain(config.DRAIN_MS))
  return listening.port
}

/** Lets callers share a run that is in progress, so that a thousand waiting messages query the database once. */
function shareRunning(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}
