import { createCobro } from '@cobro/sdk'

// region client
const cobro = createCobro({
  apiKey: process.env.COBRO_API_KEY,
  baseUrl: 'https://pay.example.com',
})
// endregion

const order = { id: `order-${Date.now()}`, cents: 25_000 }

// region create
const session = await cobro.checkout.sessions.create(
  {
    amount_total: order.cents,
    currency: 'MXN',
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
    external_id: order.id,
  },
  { idempotencyKey: `session-${order.id}` },
)
console.log('Send the payer to', session.url)
// endregion

// region read
const { status } = await cobro.checkout.sessions.retrieve(session.id)
console.log(status)
// endregion
