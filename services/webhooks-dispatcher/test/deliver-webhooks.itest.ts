import { createHmac } from 'node:crypto'
import { newId } from '@cobro/contracts'
import { schemaDrift, waitFor } from '@cobro/testing'
import { eventOf } from './dispatcher-service.ts'
import { dispatcherWithReceiver, type Endpoint } from './dispatcher-with-receiver.ts'

const { world, receiver, service, stop, ...dispatcher } = await dispatcherWithReceiver({
  answer: (path, before) => {
    if (path.startsWith('/fails-twice'))
      return { status: before < 2 ? 500 : 204, body: before < 2 ? "it's \\ down?" : '' }
    if (path.startsWith('/always-fails')) return { status: 500, body: 'x'.repeat(10_000) }
    if (path.startsWith('/gone')) return { status: 410 }
    if (path.startsWith('/hangs')) return 'hang'
    if (path.startsWith('/redirects')) return { status: 302, headers: { location: '/landed' } }
    return { status: 200, body: 'card 4242 4242 4242 4242 \0 thanks' }
  },
})
afterAll(stop)

/** Creates an endpoint at its own path below a path that determines the response. */
const subscribed = (path: string, events?: string[], merchant?: Endpoint['merchant']) =>
  dispatcher.subscribed({ path: `${path}/${newId('req')}`, events, merchant })

const deliveriesOf = async ({ merchant, id }: Endpoint) =>
  (await service.call(merchant, 'GET', `/api/webhook-deliveries?webhook_id=${id}`)).body.data
const onlyDelivery = (endpoint: Endpoint, status: string) =>
  waitFor(async () => {
    const [delivery] = await deliveriesOf(endpoint)
    expect(delivery?.status).toBe(status)
    return delivery
  })

test('the entities of the dispatcher match the migrated tables', async () => {
  expect(await schemaDrift(world.db)).toEqual(['attempts.counted boolean null: only in the table'])
})

test('a subscriber gets the event as published, with both signatures', async () => {
  const endpoint = await subscribed('/ok', ['payment.approved'])
  const event = eventOf(endpoint.merchant.merchant_id, 'payment.approved', { of_a_later_release: { a: [1, '€'] } })
  const publishedAt = Date.now()
  await world.publish(event)
  const [webhook] = await waitFor(() => receiver.at(endpoint.path).length > 0 && receiver.at(endpoint.path))
  const { headers, body } = webhook!
  expect(JSON.parse(body.toString())).toEqual({
    id: event.id,
    object: 'event',
    event: 'payment.approved',
    merchant_id: event.merchant_id,
    created_at: event.occurred_at,
    data: event.data,
  })
  const timestamp = headers['x-service-signature-timestamp']
  const delivery = await onlyDelivery(endpoint, 'succeeded')
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': 'payment.approved',
    'x-service-delivery': delivery.id,
    'x-service-sequence': '1',
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
  })
  expect(Number(timestamp)).toBeGreaterThanOrEqual(Math.floor(publishedAt / 1_000))
  expect(Number(timestamp)).toBeLessThanOrEqual(webhook!.at / 1_000)
  const ours = createHmac('sha256', endpoint.secret).update(`${timestamp}.${body.toString()}`).digest('hex')
  expect(headers['x-service-signature-v1']).toBe(ours)
  const key = Buffer.from(endpoint.secret.replace('whsec_', ''), 'base64')
  const standard = createHmac('sha256', key).update(`${delivery.id}.${timestamp}.${body.toString()}`).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${standard}`)
  expect(headers.traceparent ?? headers.baggage).toBeUndefined()
})

test('the dispatcher ignores an event that only a newer release knows', async () => {
  const endpoint = await subscribed('/ok')
  const known = eventOf(endpoint.merchant.merchant_id)
  await world.publishUnbound(eventOf(endpoint.merchant.merchant_id, 'payment.split'))
  await world.publish(known)
  expect((await onlyDelivery(endpoint, 'succeeded')).event_id).toBe(known.id)
  expect(await deliveriesOf(endpoint)).toHaveLength(1)
})

test('a delivery shows the payload, the response and its attempts', async () => {
  const endpoint = await subscribed('/ok')
  const event = eventOf(endpoint.merchant.merchant_id)
  await world.publish(event)
  const delivery = await onlyDelivery(endpoint, 'succeeded')
  expect(delivery).toEqual({
    id: expect.stringMatching(/^whd_/),
    webhook_id: endpoint.id,
    merchant_id: endpoint.merchant.merchant_id,
    event_id: event.id,
    event: 'payment.approved',
    url: receiver.url + endpoint.path,
    payload: receiver.at(endpoint.path)[0]!.body.toString(),
    status: 'succeeded',
    attempt_count: 1,
    next_attempt_at: null,
    response_status: 200,
    response_body: 'card [card] \u{fffd} thanks',
    correlation_id: event.correlation_id,
    created_at: expect.stringMatching(/Z$/),
    delivered_at: expect.stringMatching(/Z$/),
    attempts: [
      {
        number: 1,
        at: expect.stringMatching(/Z$/),
        duration_ms: expect.any(Number),
        status_code: 200,
        error: null,
        response_body: 'card [card] \u{fffd} thanks',
      },
    ],
  })
  const one = await service.call(endpoint.merchant, 'GET', `/api/webhook-deliveries/${delivery.id}`)
  expect(one.body.data).toEqual(delivery)
  const shown = await service.call(endpoint.merchant, 'GET', `/api/webhooks/${endpoint.id}`)
  expect(shown.body.data).toMatchObject({ last_delivery_status: 'succeeded', last_delivery_at: expect.any(String) })
  await waitFor(() => world.tap.names(event.correlation_id).includes('webhook.delivered'))
  expect(
    world.tap.messages.find(message => message.name === 'webhook.delivered' && message.target_id === delivery.id),
  ).toMatchObject({
    merchant_id: endpoint.merchant.merchant_id,
    correlation_id: event.correlation_id,
    actor: { type: 'system' },
    data: {
      ...{ webhook_id: endpoint.id, event_id: event.id, attempt: 1, response_status: 200, error: null },
      duration_ms: expect.any(Number),
    },
  })
})

test('an endpoint gets the subscribed events of its merchant once each, and no others', async () => {
  const endpoint = await subscribed('/ok', ['payment.approved', 'payment.declined'])
  const everything = await subscribed('/ok', ['*'], endpoint.merchant)
  const stranger = await subscribed('/ok', ['*'])
  const { merchant_id } = endpoint.merchant
  const names = ['payment.approved', 'payment.refunded', 'checkout_session.viewed', 'payment.declined']
  const events = names.map(name => eventOf(merchant_id, name))
  for (const event of [...events, ...events]) await world.publish(event)
  await waitFor(() => receiver.at(everything.path).length >= 3 && receiver.at(endpoint.path).length >= 2)
  // The event of the other merchant is published last: when it arrives, everything else has been sent.
  await world.publish(eventOf(stranger.merchant.merchant_id))
  await waitFor(() => receiver.at(stranger.path).length > 0)
  const got = (path: string) =>
    receiver
      .at(path)
      .map(one => String(one.headers['x-service-event']))
      .sort()
  expect(got(endpoint.path)).toEqual(['payment.approved', 'payment.declined'])
  expect(got(everything.path)).toEqual(['payment.approved', 'payment.declined', 'payment.refunded'])
  expect(got(stranger.path)).toEqual(['payment.approved'])
})

test('a retry sends the same bytes and delivery id with a new signature', async () => {
  const endpoint = await subscribed('/fails-twice')
  const event = eventOf(endpoint.merchant.merchant_id)
  await world.publish(event)
  const delivery = await onlyDelivery(endpoint, 'succeeded')
  const webhooks = receiver.at(endpoint.path)
  expect(webhooks).toHaveLength(3)
  expect(new Set(webhooks.map(one => one.headers['x-service-delivery']))).toEqual(new Set([delivery.id]))
  expect(new Set(webhooks.map(one => one.body.toString('hex'))).size).toBe(1)
  for (const { headers, body } of webhooks) {
    const signed = `${headers['x-service-signature-timestamp']}.${body.toString()}`
    expect(headers['x-service-signature-v1']).toBe(createHmac('sha256', endpoint.secret).update(signed).digest('hex'))
  }
  expect(delivery).toMatchObject({ attempt_count: 3, response_status: 204, response_body: '' })
  expect(delivery.attempts).toMatchObject([
    { number: 1, status_code: 500, error: null, response_body: "it's \\ down?" },
    { number: 2, status_code: 500 },
    { number: 3, status_code: 204 },
  ])
  await waitFor(() => world.tap.names(event.correlation_id).includes('webhook.delivered'))
  expect(world.tap.names(event.correlation_id).filter(name => name.startsWith('webhook.'))).toEqual([
    'webhook.attempt_failed',
    'webhook.attempt_failed',
    'webhook.delivered',
  ])
})

test('a delivery is exhausted after five failed attempts', async () => {
  const endpoint = await subscribed('/always-fails')
  const event = eventOf(endpoint.merchant.merchant_id)
  await world.publish(event)
  const delivery = await onlyDelivery(endpoint, 'exhausted')
  expect(delivery).toMatchObject({ attempt_count: 5, next_attempt_at: null, response_status: 500, delivered_at: null })
  expect(delivery.response_body).toBe('x'.repeat(1_024))
  expect(delivery.attempts.map((one: { number: number }) => one.number)).toEqual([1, 2, 3, 4, 5])
  expect(receiver.at(endpoint.path)).toHaveLength(5)
  await waitFor(() => world.tap.names(event.correlation_id).includes('webhook.exhausted'))
  const shown = await service.call(endpoint.merchant, 'GET', `/api/webhooks/${endpoint.id}`)
  expect(shown.body.data).toMatchObject({ status: 'active', last_delivery_status: 'failed' })
})

test('twenty exhausted deliveries in a row disable an endpoint', async () => {
  const endpoint = await subscribed('/always-fails')
  for (let i = 0; i < 20; i++) await world.publish(eventOf(endpoint.merchant.merchant_id))
  await waitFor(async () => {
    const shown = await service.call(endpoint.merchant, 'GET', `/api/webhooks/${endpoint.id}`)
    expect(shown.body.data).toMatchObject({ status: 'disabled', disabled_reason: 'deliveries_exhausted' })
    return true
  })
  await waitFor(() =>
    world.tap.messages.some(one => one.name === 'webhook_endpoint.disabled' && one.target_id === endpoint.id),
  )
  const again = await service.call(endpoint.merchant, 'PUT', `/api/webhooks/${endpoint.id}`, { status: 'active' })
  expect(again.body.data).toMatchObject({ status: 'active', disabled_reason: null })
})

test('a 410 disables an endpoint at once, and nothing more is sent to it', async () => {
  const endpoint = await subscribed('/gone')
  await world.publish(eventOf(endpoint.merchant.merchant_id))
  expect(await onlyDelivery(endpoint, 'failed')).toMatchObject({ attempt_count: 1, response_status: 410 })
  const shown = await service.call(endpoint.merchant, 'GET', `/api/webhooks/${endpoint.id}`)
  expect(shown.body.data).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
  await world.publish(eventOf(endpoint.merchant.merchant_id))
  const other = await subscribed('/ok', ['*'], endpoint.merchant)
  await world.publish(eventOf(endpoint.merchant.merchant_id))
  await onlyDelivery(other, 'succeeded')
  expect(receiver.at(endpoint.path)).toHaveLength(1)
})

test('the dispatcher does not follow redirects', async () => {
  const endpoint = await subscribed('/redirects')
  await world.publish(eventOf(endpoint.merchant.merchant_id))
  expect(await onlyDelivery(endpoint, 'exhausted')).toMatchObject({ response_status: 302 })
  expect(receiver.at('/landed')).toEqual([])
})

test('a receiver that never responds does not delay other endpoints', async () => {
  const slow = await subscribed('/hangs')
  const quick = await subscribed('/ok')
  await Promise.all(Array.from({ length: 40 }, () => world.publish(eventOf(slow.merchant.merchant_id))))
  await waitFor(() => receiver.mostHanging(slow.path) === 10)
  await world.publish(eventOf(quick.merchant.merchant_id))
  await onlyDelivery(quick, 'succeeded')
  // At most ten are in flight for an endpoint. The others wait until these have ended.
  expect(receiver.at(slow.path)).toHaveLength(10)
  receiver.cutHanging(slow.path)
  await waitFor(() => receiver.at(slow.path).length >= 20)
  expect(receiver.mostHanging(slow.path)).toBe(10)
  await service.call(slow.merchant, 'DELETE', `/api/webhooks/${slow.id}`)
})

test('an attempt at a receiver that never responds ends with the error timeout', async () => {
  const impatient = await dispatcherWithReceiver({ answer: () => 'hang', WEBHOOK_TIMEOUT_MS: 2_000 })
  const { merchant } = await impatient.subscribed()
  await impatient.world.publish(eventOf(merchant.merchant_id))
  const attempt = await waitFor(async () => {
    const { body } = await impatient.service.call(merchant, 'GET', '/api/webhook-deliveries')
    return body.data[0]?.attempts.find((one: { error: string }) => one.error === 'timeout')
  })
  expect(attempt).toMatchObject({ status_code: null, response_body: null })
  expect(attempt.duration_ms).toBeGreaterThanOrEqual(1_950)
  await impatient.stop()
})

test('an endpoint disabled by its merchant gets nothing more, and its queued deliveries are cancelled', async () => {
  const endpoint = await subscribed('/hangs')
  await Promise.all(Array.from({ length: 15 }, () => world.publish(eventOf(endpoint.merchant.merchant_id))))
  await waitFor(async () => receiver.at(endpoint.path).length === 10 && (await deliveriesOf(endpoint)).length === 15)
  await service.call(endpoint.merchant, 'PUT', `/api/webhooks/${endpoint.id}`, { status: 'disabled' })
  receiver.cutHanging(endpoint.path)
  await waitFor(async () => {
    const statuses = (await deliveriesOf(endpoint)).map((one: { status: string }) => one.status)
    expect(statuses).toEqual(Array(15).fill('cancelled'))
    return true
  })
  expect(receiver.at(endpoint.path)).toHaveLength(10)
})
