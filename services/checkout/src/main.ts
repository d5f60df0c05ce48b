import { runService } from '@cobro/runtime'
import { lifecycleCommands, payerCommands } from '@cobro/service'
import { migrations } from '../migrations/all-checkout.ts'
import { config } from './config.ts'
import { checkoutPayerData } from './personal-data/checkout-payer-data.ts'
import { schema, startCheckout } from './start-checkout.ts'

await runService('checkout', {
  ...lifecycleCommands({
    schema,
    queues: ['checkout.events'],
    migrations,
    start: (onStop, logger) => startCheckout(config(), onStop, logger),
  }),
  ...payerCommands(checkoutPayerData),
})
