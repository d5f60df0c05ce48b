import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { type OnStop, otherDatabaseUrl, readConfig } from '@cobro/runtime'
import { openSchema, printResult } from '@cobro/service'
import { z } from 'zod'
import { settings as serviceSettings } from './config.ts'
import { AuditEventEntity } from './events/audit-event-entity.ts'
import { acceptRestore } from './integrity/accept-restore.ts'
import { publicKeysSetting, signingKeySetting } from './tree/checkpoint-keys.ts'

/** The settings of `accept-restore`. */
const settings = z.object({
  DATABASE_URL: otherDatabaseUrl,
  AUDIT_SIGNING_KEY: signingKeySetting,
  AUDIT_PUBLIC_KEYS: publicKeysSetting,
  AUDIT_CHECKPOINT_FILE: serviceSettings.shape.AUDIT_CHECKPOINT_FILE,
})

const options = {
  reason: { type: 'string' },
  by: { type: 'string' },
  checkpoint: { type: 'string', multiple: true },
} as const

/**
 * Lets the log continue after an earlier state of the database was restored, and records that in
 * the log. Prints the size of the log, and the size that it had, as a line of JSON.
 */
export async function acceptRestoreCommand(
  onStop: OnStop,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const config = readConfig(settings, env)
  const { reason = '', by = userInfo().username, checkpoint } = parseArgs({ args, options }).values
  if (!reason.trim()) throw new Error('Give the reason for the restore with --reason.')
  const files = checkpoint ?? (config.AUDIT_CHECKPOINT_FILE ? [config.AUDIT_CHECKPOINT_FILE] : [])
  if (files.length === 0) throw new Error('Give the checkpoint file of each replica with --checkpoint.')
  const key = config.AUDIT_SIGNING_KEY
  const db = openSchema(config.DATABASE_URL, { schema: 'audit', entities: [AuditEventEntity], poolSize: 1 }, onStop)
  printResult(await acceptRestore({ db, key, keys: [key, ...config.AUDIT_PUBLIC_KEYS] }, files, { reason, by }))
}
