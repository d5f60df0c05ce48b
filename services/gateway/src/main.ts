import { migrate } from '@cobro/database'
import { declareBus } from '@cobro/messaging'
import { migrationConfig, reveal, runService } from '@cobro/runtime'
import { migrations } from '../migrations/all-gateway.ts'
import { replaceSigningKeys, rotateSigningKey } from './auth/rotate-signing-key.ts'
import { runKeyChange } from './auth/run-key-change.ts'
import { config, resyncConfig, seedConfig, signingKeyConfig } from './config.ts'
import { runResyncMerchants } from './merchants/resync-merchants.ts'
import { runSeed } from './seed/run-seed.ts'
import { schema, startGateway } from './start-gateway.ts'

await runService('gateway', {
  start: async (onStop, logger) => {
    const port = await startGateway(config(), onStop, logger)
    logger.info({ port }, 'listening')
  },
  migrate: async (_onStop, logger) => {
    const { MIGRATION_DATABASE_URL: url, AMQP_URL, AMQP_NAMESPACE } = migrationConfig()
    logger.info({ done: await migrate({ url: reveal(url), schema, migrations }) }, 'migrated')
    await declareBus(reveal(AMQP_URL), AMQP_NAMESPACE)
  },
  seed: onStop => runSeed(seedConfig(), onStop),
  'resync-merchants': onStop => runResyncMerchants(resyncConfig(), onStop),
  'rotate-signing-key': onStop => runKeyChange(rotateSigningKey, signingKeyConfig(), onStop),
  'replace-signing-keys': onStop => runKeyChange(replaceSigningKeys, signingKeyConfig(), onStop),
})
