import { createCobro, FeedGapError } from '@cobro/sdk'
import { handleEvents, type WebhookEvent } from '@cobro/sdk/webhooks'

const cobro = createCobro({ apiKey: process.env.COBRO_API_KEY, baseUrl: 'https://pay.example.com' })
const stopping = new AbortController()

// A database of the merchant: the ids of events that were handled, and positions in the feed.
const handled = new Set<string>()
const positions = new Map<string, number>()
const handle = handleEvents({ 'checkout_session.created': session => console.log('handled', session.external_id) })

async function handleOnce(event: WebhookEvent): Promise<void> {
  if (handled.has(event.id)) return
  await handle(event)
  handled.add(event.id)
  if (handled.size === 2) stopping.abort()
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

await open('order-3')
while ((await cobro.webhookEvents.list({ after: 'latest', limit: 1 })).head < 3);

// region reconcile
const checked = positions.get('checked') ?? 0
const { head } = await cobro.webhookEvents.list({ after: 'latest', limit: 1 })
const seen = ({ id }: { id: string }) => handled.has(id)
try {
  for await (const { event, sequence } of cobro.webhookEvents.reconcile({ after: checked, through: head, seen })) {
    console.log('missed', sequence)
    await handleOnce(event)
  }
  positions.set('checked', head)
} catch (error) {
  if (!(error instanceof FeedGapError)) throw error
  console.error(error.message)
}
// endregion
