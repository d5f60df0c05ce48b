import { waitFor } from '@cobro/testing'
import { eventOf } from './dispatcher-service.ts'
import { dispatcherWithReceiver } from './dispatcher-with-receiver.ts'

type EndpointResponse = { status: number; headers?: Record<string, string> }

const responses = new Map<string, EndpointResponse>()
const { world, receiver, service, stop, ...dispatcher } = await dispatcherWithReceiver({
  answer: path => responses.get(path) ?? { status: 200 },
  WEBHOOK_RETRY_DELAYS_MS: [1],
})
afterAll(stop)

async function subscribed(response: EndpointResponse) {
  const { merchant, path, id } = await dispatcher.subscribed()
  responses.set(path, response)
  const show = async () => (await service.call(merchant, 'GET', `/api/webhooks/${id}`)).body.data
  const countOf = async (status: string) =>
    (await service.call(merchant, 'GET', `/api/webhook-deliveries?webhook_id=${id}&status=${status}`)).body.count
  /** Publishes events and waits until as many more deliveries have the status. */
  const publish = async (events: number, status: string) => {
    const before = await countOf(status)
    for (let i = 0; i < events; i++) await world.publish(eventOf(merchant.merchant_id))
    await waitFor(async () => (await countOf(status)) === before + events)
  }
  return { merchant, path, id, show, publish, countOf }
}

test('an endpoint is disabled by twenty exhausted deliveries in a row, not by nineteen before and after a success', async () => {
  const endpoint = await subscribed({ status: 500 })
  await endpoint.publish(19, 'exhausted')
  responses.set(endpoint.path, { status: 204 })
  await endpoint.publish(1, 'succeeded')
  responses.set(endpoint.path, { status: 500 })
  await endpoint.publish(19, 'exhausted')
  expect(await endpoint.show()).toMatchObject({ status: 'active', disabled_reason: null })
  await endpoint.publish(1, 'exhausted')
  expect(await endpoint.show()).toMatchObject({ status: 'disabled', disabled_reason: 'deliveries_exhausted' })
  const sent = receiver.at(endpoint.path).length
  const missed = eventOf(endpoint.merchant.merchant_id)
  await world.publish(missed)
  const keptOf = (id: string) => world.db.read(em => em.execute('select 1 from webhooks.events where id = ?', [id]))
  await waitFor(async () => (await keptOf(missed.id)).length === 1)
  // Once enabled again, the endpoint gets new events only, and its count starts at zero.
  await service.call(endpoint.merchant, 'PUT', `/api/webhooks/${endpoint.id}`, { status: 'active' })
  await endpoint.publish(19, 'exhausted')
  expect(receiver.at(endpoint.path)).toHaveLength(sent + 19 * 2)
  expect(await endpoint.show()).toMatchObject({ status: 'active' })
})

test('failed test events do not disable an endpoint', async () => {
  const endpoint = await subscribed({ status: 500 })
  for (let i = 0; i < 25; i++) await service.call(endpoint.merchant, 'POST', `/api/webhooks/${endpoint.id}/test`)
  await waitFor(async () => (await endpoint.countOf('failed')) === 25)
  expect(await endpoint.show()).toMatchObject({ status: 'active', last_delivery_status: 'failed' })
})

test('a 410 cancels the queued deliveries of the endpoint and disables it with the reason gone', async () => {
  const endpoint = await subscribed({ status: 429, headers: { 'retry-after': '600' } })
  for (let i = 0; i < 5; i++) await world.publish(eventOf(endpoint.merchant.merchant_id))
  await waitFor(() => receiver.at(endpoint.path).length === 5)
  await waitFor(async () => (await endpoint.countOf('pending')) === 5)
  responses.set(endpoint.path, { status: 410 })
  await endpoint.publish(1, 'failed')
  expect(await endpoint.countOf('cancelled')).toBe(5)
  expect(await endpoint.show()).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
  const events = () => world.tap.messages.filter(one => one.target_id === endpoint.id)
  await waitFor(() => events().some(one => one.name === 'webhook_endpoint.disabled'))
})

const inTenMinutes = () => new Date(Date.now() + 600_000).toUTCString()

test.each<[string, () => EndpointResponse, seconds: number]>([
  ['seconds with 429', () => ({ status: 429, headers: { 'retry-after': '120' } }), 120],
  ['seconds with 503', () => ({ status: 503, headers: { 'retry-after': '300' } }), 300],
  ['a date with 503', () => ({ status: 503, headers: { 'retry-after': inTenMinutes() } }), 600],
  ['a day with 429, cut to an hour', () => ({ status: 429, headers: { 'retry-after': '86400' } }), 3_600],
])('a retry waits for the Retry-After of the endpoint: %s', async (_case, response, seconds) => {
  const startedAt = Date.now()
  const endpoint = await subscribed(response())
  await world.publish(eventOf(endpoint.merchant.merchant_id))
  const delivery = await waitFor(async () => {
    const { body } = await service.call(endpoint.merchant, 'GET', `/api/webhook-deliveries?webhook_id=${endpoint.id}`)
    // A list reads deliveries before attempts: the attempt may be recorded in between.
    const [listed] = body.data
    return listed?.status !== 'delivering' && listed?.attempt_count === 1 && listed.attempts.length === 1 && listed
  })
  expect(delivery.status).toBe('pending')
  const elapsedMs = Date.now() - startedAt
  const delayMs = Date.parse(delivery.next_attempt_at) - startedAt
  // The date in a header has no fraction of a second.
  expect(delayMs).toBeGreaterThan((seconds - 1) * 1_000)
  expect(delayMs).toBeLessThanOrEqual(seconds * 1_000 + elapsedMs)
})

test('a Retry-After with a status other than 429 or 503 is ignored', async () => {
  const endpoint = await subscribed({ status: 500, headers: { 'retry-after': '600' } })
  await endpoint.publish(1, 'exhausted')
})
