import { checkMigrated, isDatabaseAway, openDatabase } from '@cobro/database'
import { listen } from '@cobro/http'
import type { Logger, OnStop } from '@cobro/runtime'
import { migrations } from '../migrations/all-acquirer-sandbox.ts'
import { acquirerSandboxApp } from './app.ts'
import { ChargeEntity } from './charges/charge-entity.ts'
import type { Config } from './config.ts'
import { EncryptionKeyEntity } from './encryption-keys/encryption-key-entity.ts'
import { TokenEntity } from './tokens/token-entity.ts'

export const entities = [EncryptionKeyEntity, TokenEntity, ChargeEntity]

/** Starts the service, top to bottom; the reverse order stops it. Gives the port it listens on. */
export async function startAcquirerSandbox(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const db = openDatabase({ url: config.DATABASE_URL, schema: 'acquirer_sandbox', entities })
  onStop(db.close)
  const stopping = new AbortController()
  const app = acquirerSandboxApp({
    db,
    logger,
    apiKey: config.ACQUIRER_API_KEY,
    keyRing: config.ENCRYPTION_KEYS,
    slowAnswerMs: config.SLOW_ANSWER_MS,
    stopping: stopping.signal,
    ready: () => checkMigrated(db, migrations),
    isAway: isDatabaseAway,
  })
  const listening = await listen(app, config.HOST, config.PORT)
  onStop(listening.close)
  onStop(() => stopping.abort())
  return listening.port
}
