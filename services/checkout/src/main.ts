import { runService } from '@cobro/runtime'
import { demoCommand, lifecycleCommands, payerCommands } from '@cobro/service'
import { migrations } from '../migrations/all-checkout.ts'
import { config } from './config.ts'
import { loadDemoOrders } from './demo/load-demo-orders.ts'
import { checkoutPayerData } from './personal-data/checkout-payer-data.ts'
import { entities, schema, startCheckout } from './start-checkout.ts'

await runService('checkout', {
  ...lifecycleCommands({
    schema,
    queues: ['checkout.events'],
    migrations,
    start: (onStop, logger) => startCheckout(config(), onStop, logger),
  }),
  ...demoCommand({ schema, entities, load: loadDemoOrders }),
  ...payerCommands(checkoutPayerData),
})
