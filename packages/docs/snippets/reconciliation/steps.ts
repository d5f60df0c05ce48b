import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { createCobro } from '@cobro/sdk'
import { createCobroAdmin, sessionOf } from '@cobro/sdk/admin'

const { COBRO_API_KEY, OPERATOR_EMAIL: email = '', OPERATOR_PASSWORD: password = '' } = process.env
const baseUrl = 'https://pay.example.com'
const cobro = createCobro({ apiKey: COBRO_API_KEY, baseUrl })
const { auth } = createCobroAdmin({ baseUrl })
const operator = createCobroAdmin({ baseUrl, session: sessionOf(await auth.login({ email, password })) })
const merchant = operator.forMerchant((await cobro.me()).merchant?.id ?? '')
await merchant.settlementConfigs.create({ frequency: 'daily', delay_days: 0 })

// The shop has delivered a paid order, a paid link and an unpaid order. Another order is paid that it does not know.
const shop = {
  orders: new Map([
    ['order-1042', 25_000],
    ['A-1043', 18_000],
    ['order-1044', 25_000],
  ]),
}
const success_url = 'https://shop.example/thanks'
const open = (external_id: string, amount_total: number) =>
  cobro.checkout.sessions.create({ amount_total, success_url, external_id, payment_method_types: ['card', 'cash'] })
const link = await cobro.paymentLinks.create({ amount_cents: 18_000, concepto: 'Curso', reference: 'A-1043' })
const paid = [(await open('order-1042', 25_000)).id, link.data.id, (await open('order-1045', 30_000)).id]
for (const id of paid) execFileSync('cobro', ['pay', id])

// A voucher of another order is paid after the session was cancelled, and refunded.
const late = await open('order-1046', 25_000)
const answer = execFileSync('cobro', ['pay', late.id, 'cash'], { encoding: 'utf8' })
await cobro.checkout.sessions.cancel(late.id)
await cobro.sandbox.payVoucher(JSON.parse(answer.slice('202 '.length)).voucher.reference)
while ((await cobro.transactions.list({ order_id: 'order-1046', status: ['refunded'] })).data.length === 0)
  await setTimeout(200)

const day = new Date().toISOString().slice(0, 10)
const problems: string[] = []
// region compare
const weekBefore = new Date(Date.parse(day) - 7 * 86_400_000).toISOString().slice(0, 10)
const seen = new Set<string>()
for await (const transaction of cobro.transactions.list({
  status: ['approved', 'refunded', 'chargeback'],
  from: weekBefore,
  to: day,
})) {
  const { id, order_id, reference, amount_cents, captured_at, metadata } = transaction
  if (captured_at?.slice(0, 10) !== day || metadata?.late_payment_of) continue
  const order = order_id ?? reference ?? ''
  const expected = shop.orders.get(order)
  if (expected !== amount_cents) problems.push(`${id}: ${order} costs ${expected}, paid were ${amount_cents}`)
  if (seen.has(order)) problems.push(`${id}: ${order} is paid twice`)
  seen.add(order)
}
for (const order of shop.orders.keys()) if (!seen.has(order)) problems.push(`${order}: no payment`)
// endregion

const [unknown] = await cobro.transactions.list({ order_id: 'order-1045' }).toArray({ maxItems: 1 })
assert.deepEqual([...seen].sort(), ['A-1043', 'order-1042', 'order-1045'])
assert.deepEqual(problems.splice(0), [
  `${unknown?.id}: order-1045 costs undefined, paid were 30000`,
  'order-1044: no payment',
])

const { id } = await merchant.settlements.create({ period_start: day, period_end: day, reference: 'SPEI-1042' })
await merchant.settlements.update(id, { status: 'paid' })
// region settlements
for await (const payout of cobro.settlements.list({ status: ['paid'], from: day })) {
  const { gross_cents, fee_cents, refund_cents, chargeback_cents, reserve_held_cents, reserve_released_cents } = payout
  const net = gross_cents - fee_cents - refund_cents - chargeback_cents - reserve_held_cents + reserve_released_cents
  if (net !== payout.net_cents) problems.push(`${payout.id}: expected a net of ${net}`)
  console.log(payout.reference, payout.net_cents)
}
// endregion
assert.deepEqual(problems, [])
const [settled] = await cobro.settlements.list({ status: ['paid'], from: day }).toArray({ maxItems: 2 })
assert.equal(settled?.net_cents, 73_000)
