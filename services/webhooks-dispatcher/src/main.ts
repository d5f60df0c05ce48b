import { runService } from '@cobro/runtime'
import { lifecycleCommands, openSchema, payerCommands, printResult } from '@cobro/service'
import { migrations } from '../migrations/all-webhooks.ts'
import { config, resealConfig, retentionConfig } from './config.ts'
import { ignoreFailpoints } from './delivery-queue/failpoints.ts'
import { webhooksPayerData } from './personal-data/webhooks-payer-data.ts'
import { entities, schema, startWebhooksDispatcher } from './start-webhooks-dispatcher.ts'
import { deleteOldDeliveries } from './webhook-deliveries/delete-old-deliveries.ts'
import { resealSecrets } from './webhooks/reseal-secrets.ts'

await runService('webhooks-dispatcher', {
  ...lifecycleCommands({
    schema,
    queues: ['webhooks-dispatcher.events'],
    migrations,
    start: (onStop, logger) => startWebhooksDispatcher(config(), onStop, { logger, failpoint: ignoreFailpoints }),
  }),
  'delete-old': async onStop => {
    const { DATABASE_URL, WEBHOOK_RETENTION_MONTHS } = retentionConfig()
    const db = openSchema(DATABASE_URL, { schema, entities }, onStop)
    printResult(await deleteOldDeliveries({ db }, WEBHOOK_RETENTION_MONTHS))
  },
  'reseal-secrets': async (onStop, logger) => {
    const { DATABASE_URL, ENCRYPTION_KEYS: keys } = resealConfig()
    const db = openSchema(DATABASE_URL, { schema, entities }, onStop)
    const resealed = await resealSecrets({ db, keys, logger })
    printResult(resealed)
    if (resealed.unreadable.length > 0) throw new Error('Some webhook secrets could not be decrypted.')
  },
  ...payerCommands(webhooksPayerData),
})
