import { strict as assert } from 'node:assert'
import { createCobro } from '@cobro/sdk'

const cobro = createCobro({
  apiKey: process.env.COBRO_API_KEY,
  baseUrl: 'https://pay.example.com',
})

// region create
const session = await cobro.checkout.sessions.create(
  {
    amount_total: 25_000,
    success_url: 'https://shop.example/thanks',
    external_id: 'order-1042',
    payment_method_types: ['card', 'cash'],
  },
  { idempotencyKey: 'session-order-1042' },
)
console.log('Send the payer to', session.url)
// endregion
assert.deepEqual(session.payment_method_types, ['card', 'cash'])
