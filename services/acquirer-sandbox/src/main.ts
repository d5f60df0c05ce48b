import { runService } from '@cobro/runtime'
import { lifecycleCommands } from '@cobro/service'
import { migrations } from '../migrations/all-acquirer-sandbox.ts'
import { config } from './config.ts'
import { schema, startAcquirerSandbox } from './start-acquirer-sandbox.ts'

await runService(
  'acquirer-sandbox',
  lifecycleCommands({
    schema,
    queues: 'no broker',
    migrations,
    start: (onStop, logger) => startAcquirerSandbox(config(), onStop, logger),
  }),
)
