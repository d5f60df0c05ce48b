import { runService } from '@cobro/runtime'
import { lifecycleCommands } from '@cobro/service'
import { migrations } from '../migrations/all-gateway.ts'
import { runResyncMerchants } from './commands/resync-merchants.ts'
import { runSeed } from './commands/run-seed.ts'
import { runSigningKeyChange } from './commands/run-signing-key-change.ts'
import { config, resyncConfig, seedConfig, signingKeyConfig } from './config.ts'
import { schema } from './gateway-schema.ts'
import { replaceSigningKeys, rotateSigningKey } from './signing-keys/rotate-signing-key.ts'
import { startGateway } from './start-gateway.ts'

await runService('gateway', {
  ...lifecycleCommands({ schema, migrations, start: (onStop, logger) => startGateway(config(), onStop, logger) }),
  seed: onStop => runSeed(seedConfig(), onStop),
  'resync-merchants': onStop => runResyncMerchants(resyncConfig(), onStop),
  'rotate-signing-key': onStop => runSigningKeyChange(rotateSigningKey, signingKeyConfig(), onStop),
  'replace-signing-keys': onStop => runSigningKeyChange(replaceSigningKeys, signingKeyConfig(), onStop),
})
