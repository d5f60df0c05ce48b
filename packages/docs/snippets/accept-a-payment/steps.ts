import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'

// region client
import { createCobro } from '@cobro/sdk'

const cobro = createCobro({
  apiKey: process.env.COBRO_API_KEY,
  baseUrl: 'https://pay.example.com',
})
// endregion

// region create
const order = { id: 'order-1042', cents: 25_000 }

const session = await cobro.checkout.sessions.create(
  {
    amount_total: order.cents,
    currency: 'MXN',
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
    external_id: order.id,
    metadata: { cart: 'C-7' },
  },
  { idempotencyKey: `session-${order.id}` },
)
console.log('Send the payer to', session.url)
// endregion
assert.equal(session.transaction_status, 'Pending')
execFileSync('cobro', ['pay', session.id])

// region read
const { transaction_status, transaction_id } = await cobro.checkout.sessions.retrieve(session.id)
if (transaction_status === 'Approved') console.log('Deliver', order.id, 'for', transaction_id)
// endregion
assert.equal(transaction_status, 'Approved')

// region find
const { data } = await cobro.transactions.list({ metadata_key: 'cart', metadata_value: 'C-7', status: ['approved'] })
console.log(data.map(({ order_id, amount_cents }) => [order_id, amount_cents]))
// endregion
assert.deepEqual(
  data.map(({ id, order_id }) => [id, order_id]),
  [[transaction_id, order.id]],
)
