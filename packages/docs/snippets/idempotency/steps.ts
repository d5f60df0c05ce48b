import { createCobro } from '@cobro/sdk'

const cobro = createCobro({ apiKey: process.env.COBRO_API_KEY, baseUrl: 'https://pay.example.com' })
const order = { id: `order-${Date.now()}`, cents: 25_000 }

// region key
const openSession = () =>
  cobro.checkout.sessions.create(
    { amount_total: order.cents, success_url: 'https://shop.example/thanks', external_id: order.id },
    { idempotencyKey: `session-${order.id}` },
  )
// endregion

const sessions = [await openSession(), await openSession()]
if (sessions[0]?.id !== sessions[1]?.id) throw new Error('A repetition opened another session.')
