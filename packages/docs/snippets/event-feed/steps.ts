import { strict as assert } from 'node:assert'
import { createCobro, FeedGapError } from '@cobro/sdk'
import { handleEvents, type WebhookEvent } from '@cobro/sdk/webhooks'

const cobro = createCobro({ apiKey: process.env.COBRO_API_KEY, baseUrl: 'https://pay.example.com' })
const stopping = new AbortController()

// A database of the merchant: the ids of events that were handled, what they led to, and positions in the feed.
const handled = new Set<string>()
const delivered: (string | null)[] = []
const positions = new Map<string, number>()
const handle = handleEvents({ 'checkout_session.created': session => delivered.push(session.external_id) })
const alerts: string[] = []
const alert = (text: string) => alerts.push(text)

async function handleOnce(event: WebhookEvent): Promise<void> {
  if (handled.has(event.id)) return
  handled.add(event.id)
  await handle(event)
  if (delivered.length === 2) stopping.abort()
}

const open = (external_id: string) =>
  cobro.checkout.sessions.create({ amount_total: 25_000, success_url: 'https://shop.example/thanks', external_id })
await open('order-1')
await open('order-2')

// region follow
const after = positions.get('orders') ?? 0
for await (const { sequence, event } of cobro.webhookEvents.follow({ after, signal: stopping.signal })) {
  await handleOnce(event)
  positions.set('orders', sequence)
}
// endregion
assert.deepEqual(delivered, ['order-1', 'order-2'])
assert.equal(positions.get('orders'), 2)

await open('order-3')
while ((await cobro.webhookEvents.list({ after: 'latest', limit: 1 })).head < 3);

async function compare({ webhookEvents }: typeof cobro) {
  // region reconcile
  const checked = positions.get('checked') ?? 0
  const { head } = await webhookEvents.list({ after: 'latest', limit: 1 })
  const seen = ({ id }: { id: string }) => handled.has(id)
  try {
    for await (const { event, sequence } of webhookEvents.reconcile({ after: checked, through: head, seen })) {
      console.log('missed', sequence)
      await handleOnce(event)
    }
    positions.set('checked', head)
  } catch (error) {
    if (!(error instanceof FeedGapError)) throw error
    // These events are deleted. The next run goes on behind them.
    positions.set('checked', error.to)
    alert(`Compare payments with orders: ${error.message}`)
  }
  // endregion
}

await compare(cobro)
assert.deepEqual(delivered, ['order-1', 'order-2', 'order-3'])
assert.equal(positions.get('checked'), 3)

// A feed of ten events, of which those before the sixth are deleted.
const pruned = createCobro({
  apiKey: process.env.COBRO_API_KEY,
  baseUrl: 'https://pay.example.com',
  fetch: async url => {
    const after = new URL(String(url)).searchParams.get('after')
    const page = { data: [], after: 5, through: 10, head: 10, floor: 6 }
    return after === '3'
      ? Response.json({ error: 'gone: after: expected at least 5' }, { status: 410 })
      : Response.json(page)
  },
})
await compare(pruned)
assert.equal(positions.get('checked'), 5)
assert.deepEqual(alerts, ['Compare payments with orders: The feed lacks the events 4 to 5.'])
