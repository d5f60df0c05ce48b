import { WebhookVerificationError as SdkVerificationError, verifyWebhook } from '@cobro/sdk/webhooks'
import { waitFor } from '@cobro/testing'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { eventOf } from './dispatcher-service.ts'
import { dispatcherWithReceiver } from './dispatcher-with-receiver.ts'
import type { Received } from './test-receiver.ts'

const { world, receiver, service, subscribed, stop } = await dispatcherWithReceiver()
afterAll(stop)

const verify = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).verify(body.toString(), headers as Record<string, string>)
const otherSecret = new Webhook(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)

test('the Standard Webhooks library verifies webhooks before and during a secret rotation, and rejects others', async () => {
  const { merchant, path, ...endpoint } = await subscribed()
  const event = eventOf(merchant.merchant_id, 'payment.approved', {
    note: 'ñandú € \u2028',
    many: 9_007_199_254_740_991,
  })
  await world.publish(event)
  const before = await waitFor(() => receiver.at(path)[0])
  expect(verify(endpoint.secret, before)).toMatchObject({ id: event.id, data: event.data })

  const rotated = await service.call(merchant, 'POST', `/api/webhooks/${endpoint.id}/rotate`)
  await world.publish(eventOf(merchant.merchant_id))
  const during = await waitFor(() => receiver.at(path)[1])
  for (const secret of [endpoint.secret, rotated.body.secret]) {
    expect(verify(secret, during)).toMatchObject({ object: 'event' })
  }
  expect(() => verify(rotated.body.secret, before)).toThrow(WebhookVerificationError)
  const changed = { ...before, body: Buffer.from(before.body.toString().replace('25000', '25001')) }
  expect(changed.body.equals(before.body)).toBe(false)
  expect(() => verify(endpoint.secret, changed)).toThrow(WebhookVerificationError)
  expect(() => otherSecret.verify(before.body.toString(), before.headers as Record<string, string>)).toThrow(
    WebhookVerificationError,
  )
})

test('the SDK verifies webhooks before and during a secret rotation, and rejects others', async () => {
  const { merchant, path, ...endpoint } = await subscribed()
  const event = eventOf(merchant.merchant_id, 'payment.approved', { note: 'ñandú € \u2028' })
  await world.publish(event)
  const before = await waitFor(() => receiver.at(path)[0])
  expect(await verifyWebhook(before.body, before.headers, endpoint.secret)).toMatchObject({
    id: event.id,
    data: event.data,
  })

  const { secret } = (await service.call(merchant, 'POST', `/api/webhooks/${endpoint.id}/rotate`)).body
  await world.publish(eventOf(merchant.merchant_id))
  const during = await waitFor(() => receiver.at(path)[1])
  for (const one of [endpoint.secret, secret]) {
    expect(await verifyWebhook(during.body, during.headers, one)).toMatchObject({ event: 'payment.approved' })
  }
  await expect(verifyWebhook(before.body, before.headers, secret)).rejects.toThrow(SdkVerificationError)
  await expect(verifyWebhook(before.body, during.headers, secret)).rejects.toThrow(SdkVerificationError)
})
