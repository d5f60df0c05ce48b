import { createHmac } from 'node:crypto'
import { waitFor } from '@cobro/testing'
import { eventOf } from './dispatcher-service.ts'
import { dispatcherWithReceiver, type Endpoint } from './dispatcher-with-receiver.ts'
import type { Received } from './test-receiver.ts'

const { world, receiver, service, subscribed, stop } = await dispatcherWithReceiver()
afterAll(stop)

const rotate = ({ merchant, id }: Endpoint, headers = {}) =>
  service.call(merchant, 'POST', `/api/webhooks/${id}/rotate`, undefined, headers)
/** Publishes an event and returns its webhook. */
async function nextWebhook({ merchant, path }: Endpoint): Promise<Received> {
  const before = receiver.at(path).length
  await world.publish(eventOf(merchant.merchant_id))
  return waitFor(() => receiver.at(path)[before])
}
const storedOf = async ({ id }: Endpoint) =>
  (await world.db.read(em => em.execute<any[]>('select * from webhooks.endpoints where id = ?', [id])))[0]
const signatureOf = ({ headers, body }: Received, secret: string) =>
  createHmac('sha256', secret).update(`${headers['x-service-signature-timestamp']}.`).update(body).digest('hex')
const standardOf = ({ headers, body }: Received, secret: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`)
    .update(body)
    .digest('base64')}`

test('rotating a webhook secret returns the endpoint and its new secret, which no other response contains', async () => {
  const endpoint = await subscribed()
  const { status, body } = await rotate(endpoint)
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['data', 'secret'])
  expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(body.secret).not.toBe(endpoint.secret)
  const shown = (await service.call(endpoint.merchant, 'GET', `/api/webhooks/${endpoint.id}`)).body
  expect(body.data).toEqual(shown.data)
  expect(shown.data.secret_masked).toBe(`whsec_…${body.secret.slice(-4)}`)
  await waitFor(() =>
    world.tap.messages.some(one => one.name === 'webhook_endpoint.rotated' && one.target_id === endpoint.id),
  )
  const everything = JSON.stringify([shown, await storedOf(endpoint), world.tap.messages])
  for (const secret of [endpoint.secret, body.secret]) expect(everything).not.toContain(secret.slice(6))
})

test('after a rotation the new secret signs at once, and the previous one also signs for a day', async () => {
  const endpoint = await subscribed()
  const { secret } = (await rotate(endpoint)).body
  const during = await nextWebhook(endpoint)
  expect(during.headers['x-service-signature-v1']).toBe(signatureOf(during, secret))
  expect(during.headers['x-service-signature-v1-previous']).toBe(signatureOf(during, endpoint.secret))
  expect(during.headers['webhook-signature']).toBe(
    `${standardOf(during, secret)} ${standardOf(during, endpoint.secret)}`,
  )
  const { previous_secret_until: until } = await storedOf(endpoint)
  expect(Math.abs(new Date(until).getTime() - Date.now() - 86_400_000)).toBeLessThan(60_000)
  await world.db.read(em =>
    em.execute(`update webhooks.endpoints set previous_secret_until = now() - interval '1 second' where id = ?`, [
      endpoint.id,
    ]),
  )
  const after = await nextWebhook(endpoint)
  expect(after.headers['x-service-signature-v1']).toBe(signatureOf(after, secret))
  expect(after.headers['x-service-signature-v1-previous']).toBeUndefined()
  expect(after.headers['webhook-signature']).toBe(standardOf(after, secret))
})

test('after two rotations in a day the last two secrets sign', async () => {
  const endpoint = await subscribed()
  const second = (await rotate(endpoint)).body.secret
  const third = (await rotate(endpoint)).body.secret
  const webhook = await nextWebhook(endpoint)
  expect(webhook.headers['x-service-signature-v1']).toBe(signatureOf(webhook, third))
  expect(webhook.headers['x-service-signature-v1-previous']).toBe(signatureOf(webhook, second))
})

test('concurrent rotations leave one current and one previous secret', async () => {
  const endpoint = await subscribed()
  const answers = await Promise.all(Array.from({ length: 5 }, () => rotate(endpoint)))
  const secrets = answers.map(answer => answer.body.secret as string)
  const webhook = await nextWebhook(endpoint)
  const signedBy = (header: string) => secrets.filter(one => webhook.headers[header] === signatureOf(webhook, one))
  const [current, previous] = [signedBy('x-service-signature-v1'), signedBy('x-service-signature-v1-previous')]
  expect([current.length, previous.length]).toEqual([1, 1])
  expect(current).not.toEqual(previous)
})

test('a rotation repeated with its Idempotency-Key returns the same secret, which is stored encrypted', async () => {
  const endpoint = await subscribed()
  const key = { 'idempotency-key': 'rotate once' }
  const first = await rotate(endpoint, key)
  const again = await rotate(endpoint, key)
  expect([again.status, again.replayed, again.body]).toEqual([200, true, first.body])
  const kept = await world.db.read(em => em.execute('select * from webhooks.idempotency_keys'))
  expect(JSON.stringify(kept)).not.toContain(first.body.secret.slice(6))
})
