import { verifyWebhook } from '@cobro/sdk/webhooks'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver?.stop()
  await stack?.stop()
})

test('lets a merchant test its endpoint, rotate its secret and resend missed events, with its name in the audit log', async () => {
  const { merchant, operator } = clients
  const mine = { 'x-merchant-id': stack.stack.merchant_id }
  const input = { url: receiver.url, events: ['payment_link.created'] }
  const endpoint = (await merchant.call('POST', '/api/webhooks', input)).body
  const sent = (count: number) => waitFor(() => receiver.received[count - 1])

  const tried = await merchant.call('POST', `/api/webhooks/${endpoint.id}/test`)
  expect([tried.status, tried.body.data.event]).toEqual([202, 'webhook.test'])
  const first = await sent(1)
  expect(await verifyWebhook(first.rawBody, first.headers, endpoint.secret)).toMatchObject({ event: 'webhook.test' })

  const key = { 'idempotency-key': 'rotate once' }
  const rotated = await merchant.call('POST', `/api/webhooks/${endpoint.id}/rotate`, undefined, key)
  const repeated = await merchant.call('POST', `/api/webhooks/${endpoint.id}/rotate`, undefined, key)
  expect(repeated.body).toEqual(rotated.body)
  expect(repeated.headers.get('idempotent-replayed')).toBe('true')

  const link = (await merchant.call('POST', '/checkout/v1/links', { amount: '250.00', concepto: 'Curso' })).body.data
  const second = await sent(2)
  for (const secret of [endpoint.secret, rotated.body.secret]) {
    expect((await verifyWebhook(second.rawBody, second.headers, secret)).data).toMatchObject({ id: link.id })
  }

  const ofLink = `/api/webhook-deliveries?correlation_id=${link.correlation_id}`
  const delivery = await waitFor(async () => {
    const [found] = (await merchant.call('GET', ofLink)).body.data
    return found?.status === 'succeeded' && found
  })
  const again = await operator.call('POST', `/api/webhook-deliveries/${delivery.id}/redeliver`, undefined, mine)
  expect([again.status, again.body.data.id]).toEqual([202, delivery.id])
  const third = await sent(3)
  expect(third.rawBody).toBe(second.rawBody)
  expect(third.headers['x-service-delivery']).toBe(second.headers['x-service-delivery'])

  const past = { webhook_id: endpoint.id, event_id: delivery.event_id }
  expect((await merchant.call('POST', '/api/webhook-deliveries', past)).status).toBe(201)
  const fourth = await sent(4)
  expect(fourth.rawBody).toBe(second.rawBody)
  expect(fourth.headers['x-service-delivery']).not.toBe(second.headers['x-service-delivery'])

  const actions = async (action: string) =>
    (await operator.call('GET', `/api/events?action=${action}`, undefined, mine)).body.data
  const [redelivered] = await waitFor(
    async () => (await actions('webhook.redelivered')).length === 1 && actions('webhook.redelivered'),
  )
  expect(redelivered).toMatchObject({
    category: 'webhook',
    target_id: delivery.id,
    correlation_id: link.correlation_id,
    actor: { type: 'operator' },
  })
  const [rotation] = await waitFor(
    async () => (await actions('webhook_endpoint.rotated')).length === 1 && actions('webhook_endpoint.rotated'),
  )
  expect(rotation).toMatchObject({ target_id: endpoint.id, actor: { type: 'key' } })
  await waitFor(async () => (await actions('webhook.requested')).length === 2)
  const everything = JSON.stringify(await stack.query('select * from audit.events'))
  for (const secret of [endpoint.secret, rotated.body.secret]) expect(everything).not.toContain(secret.slice(6))
})
