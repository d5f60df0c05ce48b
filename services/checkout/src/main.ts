import { runService } from '@cobro/runtime'
import { lifecycleCommands } from '@cobro/service'
import { migrations } from '../migrations/all-checkout.ts'
import { config } from './config.ts'
import { schema, startCheckout } from './start-checkout.ts'

await runService('checkout', {
  ...lifecycleCommands({
    schema,
    queues: ['checkout.events'],
    migrations,
    start: (onStop, logger) => startCheckout(config(), onStop, logger),
  }),
})
