import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { createCobro } from '@cobro/sdk'

const cobro = createCobro({
  apiKey: process.env.COBRO_API_KEY,
  baseUrl: 'https://pay.example.com',
})

// region create
const { data: link, url } = await cobro.paymentLinks.create(
  {
    amount: '250.00',
    concepto: 'Curso de barismo',
    reference: 'A-1042',
    expires_in: 7 * 86_400,
    metadata: { student: 'S-31' },
  },
  { idempotencyKey: 'link-A-1042' },
)
console.log('Send the payer', url)
// endregion

// region update
await cobro.paymentLinks.update(link.id, { amount_cents: 22_500 })
// endregion
execFileSync('cobro', ['pay', link.id])

// region list
const paid = await cobro.paymentLinks.list({ status: ['paid'], reference: 'A-1042' }).toArray({ maxItems: 100 })
for (const { reference, amount_cents, paid_at } of paid) console.log(reference, amount_cents, paid_at)
// endregion
assert.deepEqual(
  paid.map(({ id, amount_cents }) => [id, amount_cents]),
  [[link.id, 22_500]],
)

const { data: unpaid } = await cobro.paymentLinks.create({ amount_cents: 30_000, concepto: 'Curso de latte art' })
// region cancel
await cobro.paymentLinks.cancel(unpaid.id)
// endregion
const cancelled = await cobro.paymentLinks.retrieve(unpaid.id)
assert.equal(cancelled.status, 'cancelled')
