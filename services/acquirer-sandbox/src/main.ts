import { runService } from '@cobro/runtime'
import { demoCommand, lifecycleCommands } from '@cobro/service'
import { migrations } from '../migrations/all-acquirer-sandbox.ts'
import { loadCharges } from './charges/load-charges.ts'
import { config } from './config.ts'
import { entities, schema, startAcquirerSandbox } from './start-acquirer-sandbox.ts'

await runService('acquirer-sandbox', {
  ...lifecycleCommands({
    schema,
    queues: 'no broker',
    migrations,
    start: (onStop, logger) => startAcquirerSandbox(config(), onStop, logger),
  }),
  ...demoCommand({ schema, entities, load: loadCharges }),
})
