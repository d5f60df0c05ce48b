import { execFileSync } from 'node:child_process'
import { createCobro } from '@cobro/sdk'

const cobro = createCobro({
  apiKey: process.env.COBRO_API_KEY,
  baseUrl: 'https://pay.example.com',
})

// The payments of this run.
const day = new Date().toISOString().slice(0, 10)
const shop = {
  orders: new Map([['order-1042', 25_000]]),
}
const problems: string[] = []
const success_url = 'https://shop.example/thanks'
const unpaid = { amount_total: 30_000, success_url, external_id: 'order-1043' }
const paid = await cobro.checkout.sessions.create({ amount_total: 25_000, success_url, external_id: 'order-1042' })
for (const { id } of [paid, await cobro.checkout.sessions.create(unpaid)]) execFileSync('cobro', ['pay', id])

// region compare
const seen = new Set<string | null>()
for await (const transaction of cobro.transactions.list({
  status: ['approved', 'refunded', 'chargeback'],
  from: day,
  to: day,
})) {
  const { id, order_id, amount_cents } = transaction
  const expected = shop.orders.get(order_id ?? '')
  if (expected !== amount_cents) problems.push(`${id}: ${order_id} costs ${expected}, paid were ${amount_cents}`)
  seen.add(order_id)
}
for (const order of shop.orders.keys()) if (!seen.has(order)) problems.push(`${order}: no payment`)
// endregion

// region settlements
for await (const payout of cobro.settlements.list({ status: ['paid'], from: day })) {
  const { gross_cents, fee_cents, refund_cents, chargeback_cents, reserve_held_cents, reserve_released_cents } = payout
  const net = gross_cents - fee_cents - refund_cents - chargeback_cents - reserve_held_cents + reserve_released_cents
  if (net !== payout.net_cents) problems.push(`${payout.id}: expected a net of ${net}`)
  console.log(payout.reference, payout.net_cents)
}
// endregion

console.log(problems.join('\n'))
