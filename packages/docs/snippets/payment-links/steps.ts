import { createCobro } from '@cobro/sdk'

const cobro = createCobro({
  apiKey: process.env.COBRO_API_KEY,
  baseUrl: 'https://pay.example.com',
})

const course = { reference: `A-${Date.now()}`, name: 'Curso de barismo' }

// region create
const { data: link, url } = await cobro.paymentLinks.create(
  {
    amount: '250.00',
    concepto: course.name,
    reference: course.reference,
    expires_in: 7 * 86_400,
  },
  { idempotencyKey: `link-${course.reference}` },
)
console.log('Send the payer', url)
// endregion

// region update
await cobro.paymentLinks.update(link.id, { amount_cents: 22_500 })
// endregion

// region list
for await (const paid of cobro.paymentLinks.list({ status: ['paid'], from: '2026-11-01' })) {
  console.log(paid.reference, paid.amount_cents, paid.paid_at)
}
// endregion

// region cancel
await cobro.paymentLinks.cancel(link.id)
// endregion
