import { migrate, openDatabase } from '@cobro/database'
import { declareBus } from '@cobro/messaging'
import { migrationConfig, type OnStop, reveal, runService, type Secret } from '@cobro/runtime'
import { migrations } from '../migrations/all-webhooks.ts'
import { config, resealConfig, retentionConfig } from './config.ts'
import { entities, schema, startWebhooksDispatcher } from './start-webhooks-dispatcher.ts'
import { carryOn } from './steps.ts'
import { deleteOld } from './webhook-deliveries/delete-old.ts'
import { resealSecrets } from './webhooks/reseal-secrets.ts'

await runService('webhooks-dispatcher', {
  start: async (onStop, logger) => {
    const port = await startWebhooksDispatcher(config(), onStop, { logger, atStep: carryOn })
    logger.info({ port }, 'listening')
  },
  migrate: async (_onStop, logger) => {
    const { MIGRATION_DATABASE_URL: url, AMQP_URL, AMQP_NAMESPACE } = migrationConfig()
    logger.info({ done: await migrate({ url: reveal(url), schema, migrations }) }, 'migrated')
    await declareBus(reveal(AMQP_URL), AMQP_NAMESPACE)
  },
  'delete-old': async onStop => {
    const { DATABASE_URL, WEBHOOK_RETENTION_MONTHS } = retentionConfig()
    report(await deleteOld({ db: opened(DATABASE_URL, onStop) }, WEBHOOK_RETENTION_MONTHS))
  },
  'reseal-secrets': async (onStop, logger) => {
    const { DATABASE_URL, ENCRYPTION_KEYS: keys } = resealConfig()
    const resealed = await resealSecrets({ db: opened(DATABASE_URL, onStop), keys, logger })
    report(resealed)
    if (resealed.unreadable.length > 0) throw new Error('Not every secret could be opened.')
  },
})

function opened(url: Secret, onStop: OnStop) {
  const db = openDatabase({ url: reveal(url), schema, entities })
  onStop(db.close)
  return db
}

/** What came of a command is one line of JSON. */
function report(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
