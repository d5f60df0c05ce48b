import { migrate } from '@cobro/database'
import { declareBus } from '@cobro/messaging'
import { migrationConfig, reveal, runService } from '@cobro/runtime'
import { migrations } from '../migrations/all-gateway.ts'
import { runResyncMerchants } from './commands/resync-merchants.ts'
import { runSeed } from './commands/run-seed.ts'
import { runSigningKeyChange } from './commands/run-signing-key-change.ts'
import { config, resyncConfig, seedConfig, signingKeyConfig } from './config.ts'
import { schema } from './gateway-schema.ts'
import { replaceSigningKeys, rotateSigningKey } from './signing-keys/rotate-signing-key.ts'
import { startGateway } from './start-gateway.ts'

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
  'rotate-signing-key': onStop => runSigningKeyChange(rotateSigningKey, signingKeyConfig(), onStop),
  'replace-signing-keys': onStop => runSigningKeyChange(replaceSigningKeys, signingKeyConfig(), onStop),
})
