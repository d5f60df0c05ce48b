import { text } from 'node:stream/consumers'
import type { Database } from '@cobro/database'
import { type OnStop, runService, type Secret } from '@cobro/runtime'
import { lifecycleCommands, openSchema, payerCommands, printResult } from '@cobro/service'
import { migrations } from '../migrations/all-gateway.ts'
import { config, resyncConfig, seedConfig, signingKeyConfig } from './config.ts'
import { entities, schema } from './gateway-schema.ts'
import { resyncMerchants } from './merchants/resync-merchants.ts'
import { gatewayPayerData } from './personal-data/gateway-payer-data.ts'
import { seedData, seedInput } from './seed/seed-data.ts'
import { replaceSigningKeys, rotateSigningKey } from './signing-keys/rotate-signing-key.ts'
import { startGateway } from './start-gateway.ts'

await runService('gateway', {
  ...lifecycleCommands({
    schema,
    queues: ['gateway.events'],
    migrations,
    start: (onStop, logger) => startGateway(config(), onStop, logger),
  }),
  seed: databaseCommand(seedConfig, async (db, { COBRO_ENV, API_KEY_PEPPERS }) => {
    const input = seedInput.parse(JSON.parse(await text(process.stdin)))
    return seedData({ db, keySettings: { environment: COBRO_ENV, peppers: API_KEY_PEPPERS } }, input)
  }),
  'resync-merchants': databaseCommand(resyncConfig, async db => ({ merchants: await resyncMerchants(db) })),
  'rotate-signing-key': databaseCommand(signingKeyConfig, (db, { ENCRYPTION_KEYS }) =>
    rotateSigningKey({ db, encryptionKeys: ENCRYPTION_KEYS }),
  ),
  'replace-signing-keys': databaseCommand(signingKeyConfig, (db, { ENCRYPTION_KEYS }) =>
    replaceSigningKeys({ db, encryptionKeys: ENCRYPTION_KEYS }),
  ),
  ...payerCommands(gatewayPayerData),
})

/** Returns a command that works on the database and prints its result as one line of JSON. */
function databaseCommand<C extends { DATABASE_URL: Secret }>(
  readConfig: () => C,
  run: (db: Database, config: C) => Promise<object>,
) {
  return async (onStop: OnStop): Promise<void> => {
    const config = readConfig()
    const db = openSchema(config.DATABASE_URL, { schema, entities }, onStop)
    printResult(await run(db, config))
  }
}
