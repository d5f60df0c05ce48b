import { type Logger, type OnStop, otherDatabaseUrl, readConfig, type Secret } from '@cobro/runtime'
import { openSchema } from '@cobro/service'
import { z } from 'zod'
import { settings as serviceSettings } from './config.ts'
import { AuditEventEntity } from './events/audit-event-entity.ts'
import { isOlderThan } from './retention/log-month.ts'
import { withRetentionLock } from './retention/retention-lock.ts'
import { monthsOf, retireMonth } from './retention/retire-month.ts'
import { publicKeysSetting, signingKeySetting } from './tree/checkpoint-keys.ts'
import { openWitness } from './tree/checkpoint-witness.ts'

/** The settings of `retire`. */
const settings = z.object({
  DATABASE_URL: otherDatabaseUrl,
  AUDIT_KEEPER_DATABASE_URL: otherDatabaseUrl,
  AUDIT_SIGNING_KEY: signingKeySetting,
  AUDIT_PUBLIC_KEYS: publicKeysSetting,
  AUDIT_CHECKPOINT_FILE: serviceSettings.shape.AUDIT_CHECKPOINT_FILE,
  AUDIT_ARCHIVE_DIR: z.string(),
  // The database does not allow dropping events younger than a year.
  AUDIT_KEEP_MONTHS: z.coerce.number().int().min(12).default(12),
})

/** Counts a month of up to billions of events before it drops it. */
const dropTimeoutMs = 3 * 3_600_000

/** Retires every month older than `AUDIT_KEEP_MONTHS`, oldest first. Fails during another run. */
export async function retireCommand(
  onStop: OnStop,
  logger: Logger,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const config = readConfig(settings, env)
  const open = (url: Secret, limits: { idleInTransactionTimeoutMs?: number; statementTimeoutMs?: number } = {}) =>
    openSchema(url, { schema: 'audit', entities: [AuditEventEntity], poolSize: 1, ...limits }, onStop)
  const key = config.AUDIT_SIGNING_KEY
  const keys = [key, ...config.AUDIT_PUBLIC_KEYS]
  const witness = await openWitness(config.AUDIT_CHECKPOINT_FILE, keys, logger)
  const log = { db: open(config.DATABASE_URL), key, witness }
  const keeper = open(config.AUDIT_KEEPER_DATABASE_URL, { statementTimeoutMs: dropTimeoutMs })
  const retiring = { log, keys, keeper, folder: config.AUDIT_ARCHIVE_DIR, logger }
  await withRetentionLock(open(config.DATABASE_URL, { idleInTransactionTimeoutMs: 0 }), async () => {
    const due = (await monthsOf(log.db)).filter(month => isOlderThan(month, config.AUDIT_KEEP_MONTHS, new Date()))
    for (const month of due) await retireMonth(retiring, month)
    logger.info({ months: due.map(({ name }) => name) }, 'retired the months that were due')
  })
}
