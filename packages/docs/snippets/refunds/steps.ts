import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { ConflictError, createCobro } from '@cobro/sdk'

const cobro = createCobro({
  apiKey: process.env.COBRO_API_KEY,
  baseUrl: 'https://pay.example.com',
})

const orderId = 'order-1042'
const success_url = 'https://shop.example/thanks'
for (const card of ['4242424242424242', '4000000000000259']) {
  const external_id = card === '4242424242424242' ? orderId : 'order-1043'
  const { id } = await cobro.checkout.sessions.create({ amount_total: 25_000, success_url, external_id })
  execFileSync('cobro', ['pay', id, card])
}

// region refund
const [payment] = await cobro.transactions.list({ order_id: orderId, status: ['approved'] }).toArray({ maxItems: 1 })
if (payment) {
  const { refund_status } = await cobro.transactions.refund(payment.id, { idempotencyKey: `refund-${orderId}` })
  console.log(refund_status)
}
// endregion
assert.equal(
  (await cobro.transactions.list({ order_id: orderId, refund_status: ['processing', 'completed'] })).count,
  1,
)

for (let tries = 0; (await cobro.disputes.list({ status: ['open'] })).data.length === 0; tries += 1) {
  if (tries > 200) throw new Error('The payment is not disputed.')
  await new Promise(resolve => setTimeout(resolve, 100))
}

// region dispute
for await (const dispute of cobro.disputes.list({ status: ['open'] })) {
  try {
    const receipt = `Ticket of ${dispute.transaction_id}`
    const { evidence } = await cobro.disputes.update(dispute.id, { evidence: { receipt } })
    console.log(evidence)
  } catch (error) {
    // It ended in the meantime.
    if (!(error instanceof ConflictError)) throw error
  }
}
// endregion
const [dispute] = await cobro.disputes.list().toArray({ maxItems: 1 })
assert.deepEqual(dispute?.evidence, { receipt: `Ticket of ${dispute?.transaction_id}` })
