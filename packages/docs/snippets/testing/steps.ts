import { strict as assert } from 'node:assert'

// region fake
import { fakeCobro } from '@cobro/sdk/testing'

const { cobro, calls } = fakeCobro()
await cobro.transactions.refund('txn_01kdvc4x2m8p6q7r9s0t1v2w3x', { idempotencyKey: 'refund-order-1042' })
assert.equal(calls[0]?.operationId, 'refundTransaction')
assert.equal(calls[0]?.idempotencyKey, 'refund-order-1042')

// endregion

// region event
import { exampleEvent, signWebhook } from '@cobro/sdk/testing'
import { verifyWebhook } from '@cobro/sdk/webhooks'

const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const event = exampleEvent('payment.approved', { order_id: 'order-1042', amount_cents: 25_000 })
const { body, headers } = await signWebhook(event, secret)
assert.deepEqual(await verifyWebhook(body, headers, secret), event)
// endregion
