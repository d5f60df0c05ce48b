import { createCobroAdmin, type Session, sessionOf } from '@cobro/sdk/admin'

const { COBRO_API_KEY, OPERATOR_EMAIL: email = '', OPERATOR_PASSWORD: password = '' } = process.env
const baseUrl = 'https://pay.example.com'
const order = { id: `order-${Date.now()}` }

// region client
import { createCobro, formatMoney, toCents } from '@cobro/sdk'

const cobro = createCobro({ apiKey: COBRO_API_KEY, baseUrl })

const session = await cobro.checkout.sessions.create(
  { amount_total: toCents('250.00'), success_url: 'https://shop.example/thanks', external_id: order.id },
  { idempotencyKey: `session-${order.id}` },
)
// endregion

// region response
const { data, requestId } = await cobro.checkout.sessions.retrieve(session.id).withResponse()
// endregion
if (data.id !== session.id || requestId === undefined) throw new Error('The answer has no session or id.')

// region list
for await (const row of cobro.checkout.sessions.list({ status: ['pending'], from: '2026-01-01' })) {
  console.log(row.external_id, formatMoney({ amount_cents: row.amount_total, currency: row.currency }, 'es-MX'))
}
const newest = await cobro.transactions.list().toArray({ maxItems: 500 })
// endregion
if (newest.length > 0) throw new Error('There is a transaction of another merchant.')

// region options
const patient = createCobro({ apiKey: COBRO_API_KEY, baseUrl, maxRetries: 5, timeoutMs: 60_000, deadlineMs: 300_000 })
const me = await patient.me({ signal: AbortSignal.timeout(10_000) })
// endregion

const merchantId = me.merchant?.id ?? ''
let stored: Session | undefined
const keep = (session: Session) => {
  stored = session
}
// region admin
const { auth } = createCobroAdmin({ baseUrl })
const login = sessionOf(await auth.login({ email, password }))
const admin = createCobroAdmin({ baseUrl, session: login, store: { save: keep } })
const ofMerchant = await admin.forMerchant(merchantId).transactions.list()
// endregion
if (ofMerchant.count !== 0 || stored !== undefined) throw new Error('The session was refreshed too early.')

// region hooks
const observed = createCobro({
  apiKey: COBRO_API_KEY,
  baseUrl,
  onResponse: ({ operationId, status, durationMs }) => console.log(operationId, status, durationMs > 0),
  onRetry: ({ operationId, attempt, delayMs }) => console.warn(operationId, attempt, delayMs),
})
// endregion
await observed.me()
