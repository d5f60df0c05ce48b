import { createHmac } from 'node:crypto'
import { type Id, newId } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { reveal } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { entities } from '../src/start-webhooks-dispatcher.ts'
import { sendPastEvent } from '../src/webhook-deliveries/send-past-event.ts'
import { eventOf } from './dispatcher-service.ts'
import { dispatcherWithReceiver, type Endpoint } from './dispatcher-with-receiver.ts'

/** The response of each path; 200 by default. A list is for the first requests. */
const responses = new Map<string, number | 'hang' | number[]>()

const { world, receiver, service, subscribed, stop } = await dispatcherWithReceiver({
  answer: (path, before) => {
    const given = responses.get(path) ?? 200
    if (given === 'hang') return given
    return { status: typeof given === 'number' ? given : (given[before] ?? 200) }
  },
  WEBHOOK_RETRY_DELAYS_MS: [50, 50, 50, 600_000],
})
afterAll(stop)

const read = async ({ merchant }: Endpoint, id: string) =>
  (await service.call(merchant, 'GET', `/api/webhook-deliveries/${id}`)).body.data
const reaches = (endpoint: Endpoint, id: string, expected: object) =>
  waitFor(async () => {
    const delivery = await read(endpoint, id)
    expect(delivery).toMatchObject(expected)
    return delivery
  })
/** Creates an endpoint with one automatic delivery that has reached a status. */
async function delivered(status: string, response: number | 'hang' = 200) {
  const endpoint = await subscribed()
  responses.set(endpoint.path, response)
  const event = eventOf(endpoint.merchant.merchant_id)
  await world.publish(event)
  const delivery = await waitFor(async () => {
    const { body } = await service.call(endpoint.merchant, 'GET', `/api/webhook-deliveries?webhook_id=${endpoint.id}`)
    expect(body.data[0]?.status).toBe(status)
    return body.data[0]
  })
  return { ...endpoint, event, delivery, deliveryPath: `/api/webhook-deliveries/${delivery.id}` }
}
/** Creates an endpoint whose delivery waits ten minutes for its fifth attempt. */
const waiting = async () => {
  const endpoint = await delivered('pending', 500)
  await reaches(endpoint, endpoint.delivery.id, { status: 'pending', attempt_count: 4 })
  return endpoint
}
const eventsAbout = (id: string) => world.tap.messages.filter(message => message.target_id === id)
/** Waits for an event. Those of attempts are gathered before they are published, so that others may overtake them. */
const eventAbout = (id: string, name: string) => waitFor(() => eventsAbout(id).find(message => message.name === name))

test('a test event is sent to the endpoint once, signed, whatever events it subscribes to', async () => {
  const endpoint = await subscribed({ events: ['payment.refunded'] })
  const { status, body } = await service.call(endpoint.merchant, 'POST', `/api/webhooks/${endpoint.id}/test`)
  expect(status).toBe(202)
  expect(body.data).toMatchObject({ webhook_id: endpoint.id, event: 'webhook.test', status: 'pending', attempts: [] })
  const delivery = await reaches(endpoint, body.data.id, { status: 'succeeded', attempt_count: 1 })
  const [sent, ...others] = receiver.at(endpoint.path)
  expect(others).toEqual([])
  expect(sent!.headers).toMatchObject({ 'x-service-event': 'webhook.test', 'x-service-delivery': delivery.id })
  expect(sent!.headers).not.toHaveProperty('x-service-sequence')
  expect(delivery.payload).toBe(sent!.body.toString())
  const envelope = JSON.parse(delivery.payload)
  expect(envelope).toEqual({
    id: delivery.event_id,
    object: 'event',
    event: 'webhook.test',
    merchant_id: endpoint.merchant.merchant_id,
    created_at: expect.stringMatching(/Z$/),
    data: expect.objectContaining({ id: endpoint.id, url: receiver.url + endpoint.path }),
  })
  expect(delivery.payload).not.toContain(endpoint.secret)
  const signed = `${sent!.headers['x-service-signature-timestamp']}.${delivery.payload}`
  expect(sent!.headers['x-service-signature-v1']).toBe(
    createHmac('sha256', endpoint.secret).update(signed).digest('hex'),
  )
  await waitFor(() => eventsAbout(delivery.id).length === 2)
  expect(eventsAbout(delivery.id).map(message => message.name)).toEqual(['webhook.requested', 'webhook.delivered'])
  const published = await waitFor(() => world.tap.messages.find(message => message.name === 'webhook.test'))
  expect(published).toMatchObject({ id: delivery.event_id, target_id: endpoint.id, data: envelope.data })
  expect(JSON.stringify(published)).not.toContain(endpoint.secret)
})

test('a test event is not sent to other endpoints, although it is published', async () => {
  const endpoint = await subscribed()
  const other = await subscribed({ merchant: endpoint.merchant })
  const { body } = await service.call(endpoint.merchant, 'POST', `/api/webhooks/${endpoint.id}/test`)
  await waitFor(() => world.tap.messages.some(({ id, name }) => name === 'webhook.test' && id === body.data.event_id))
  const marker = eventOf(endpoint.merchant.merchant_id)
  await world.publish(marker)
  await waitFor(() => receiver.at(other.path).length > 0 && receiver.at(endpoint.path).length > 1)
  const got = (path: string) => receiver.at(path).map(one => JSON.parse(one.body.toString()).id)
  expect(got(other.path)).toEqual([marker.id])
  expect(got(endpoint.path).sort()).toEqual([body.data.event_id, marker.id].sort())
})

test('a failed test event is not retried', async () => {
  const endpoint = await subscribed()
  responses.set(endpoint.path, 503)
  const { body } = await service.call(endpoint.merchant, 'POST', `/api/webhooks/${endpoint.id}/test`)
  const delivery = await reaches(endpoint, body.data.id, { status: 'failed', attempt_count: 1, response_status: 503 })
  expect(delivery.next_attempt_at).toBeNull()
  const shown = await service.call(endpoint.merchant, 'GET', `/api/webhooks/${endpoint.id}`)
  expect(shown.body.data).toMatchObject({ status: 'active', last_delivery_status: 'failed' })
})

test('a test event answered with 410 disables the endpoint, and the next test is rejected with 409', async () => {
  const endpoint = await subscribed()
  responses.set(endpoint.path, 410)
  const { body } = await service.call(endpoint.merchant, 'POST', `/api/webhooks/${endpoint.id}/test`)
  await reaches(endpoint, body.data.id, { status: 'failed' })
  const again = await service.call(endpoint.merchant, 'POST', `/api/webhooks/${endpoint.id}/test`)
  expect([again.status, again.body]).toEqual([409, { error: 'conflict: this webhook is disabled' }])
})

test('the redelivery of a period sends its deliveries once, also if the call is repeated under its key', async () => {
  const endpoint = await delivered('succeeded')
  const period = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000), status: 'succeeded' }
  const headers = { 'idempotency-key': newId('evt') }
  const again = () => service.call(endpoint.merchant, 'POST', `/api/webhooks/${endpoint.id}/redeliver`, period, headers)
  const first = await again()
  expect(first).toMatchObject({ status: 202, replayed: false, body: { data: { matched: 1, created: 1 } } })
  await reaches(endpoint, endpoint.delivery.id, { status: 'succeeded', attempt_count: 2 })
  expect(await again()).toEqual({ ...first, replayed: true })
  const [sent, repeated, ...others] = receiver.at(endpoint.path)
  expect(repeated!.body.equals(sent!.body)).toBe(true)
  expect(others).toEqual([])
  const body = { ...period, to: new Date(0) }
  const empty = await service.call(endpoint.merchant, 'POST', `/api/webhooks/${endpoint.id}/redeliver`, body)
  expect([empty.status, empty.body.error]).toEqual([
    400,
    expect.stringContaining('from: expected a time that is not after to'),
  ])
})

test('a redelivery has the same id and bytes and a new signature, and adds an attempt to the delivery', async () => {
  const endpoint = await delivered('succeeded')
  const [first] = receiver.at(endpoint.path)
  const calledAt = Date.now()
  const { status, body } = await service.call(endpoint.merchant, 'POST', `${endpoint.deliveryPath}/redeliver`)
  expect(status).toBe(202)
  expect(body.data).toMatchObject({ id: endpoint.delivery.id, status: 'pending', attempt_count: 1 })
  expect(body.data.attempts).toHaveLength(1)
  const after = await reaches(endpoint, endpoint.delivery.id, { status: 'succeeded', attempt_count: 2 })
  expect(after.attempts.map((one: { number: number }) => one.number)).toEqual([1, 2])
  const [, second] = receiver.at(endpoint.path)
  expect(second!.body.equals(first!.body)).toBe(true)
  for (const name of ['x-service-delivery', 'x-service-event', 'x-service-sequence', 'webhook-id'])
    expect([name, second!.headers[name]]).toEqual([name, first!.headers[name]])
  const at = Number(second!.headers['x-service-signature-timestamp'])
  expect(at).toBeGreaterThanOrEqual(Math.floor(calledAt / 1_000))
  expect(at).toBeLessThanOrEqual(second!.at / 1_000)
  const signed = `${at}.${second!.body.toString()}`
  expect(second!.headers['x-service-signature-v1']).toBe(
    createHmac('sha256', endpoint.secret).update(signed).digest('hex'),
  )
  await waitFor(() => eventsAbout(endpoint.delivery.id).length === 3)
  expect(await eventAbout(endpoint.delivery.id, 'webhook.redelivered')).toMatchObject({
    merchant_id: endpoint.merchant.merchant_id,
    correlation_id: endpoint.event.correlation_id,
    actor: { type: 'key', id: endpoint.merchant.id },
    data: { webhook_id: endpoint.id, event_id: endpoint.event.id },
  })
})

test('a failed redelivery is not retried and keeps the earlier delivered_at', async () => {
  const endpoint = await delivered('succeeded')
  responses.set(endpoint.path, 500)
  await service.call(endpoint.merchant, 'POST', `${endpoint.deliveryPath}/redeliver`)
  const after = await reaches(endpoint, endpoint.delivery.id, { status: 'failed', attempt_count: 2 })
  expect(after).toMatchObject({ next_attempt_at: null, delivered_at: endpoint.delivery.delivered_at })
  expect(receiver.at(endpoint.path)).toHaveLength(2)
})

test('of fifty concurrent redeliveries one is accepted and 49 are rejected with 409', async () => {
  const endpoint = await delivered('succeeded')
  responses.set(endpoint.path, 'hang')
  const calls = Array.from({ length: 50 }, () =>
    service.call(endpoint.merchant, 'POST', `${endpoint.deliveryPath}/redeliver`),
  )
  const statuses = (await Promise.all(calls)).map(answer => answer.status)
  expect(statuses.filter(status => status === 202)).toHaveLength(1)
  expect(statuses.filter(status => status === 409)).toHaveLength(49)
  await waitFor(() => receiver.mostHanging(endpoint.path) === 1)
  receiver.cutHanging(endpoint.path)
  const after = await reaches(endpoint, endpoint.delivery.id, { status: 'failed', attempt_count: 2 })
  expect(after.attempts[1]).toMatchObject({ number: 2, error: 'connection_reset' })
  expect(receiver.at(endpoint.path)).toHaveLength(2)
})

test('a pending delivery can be redelivered only after it was cancelled', async () => {
  const endpoint = await waiting()
  const rejected = await service.call(endpoint.merchant, 'POST', `${endpoint.deliveryPath}/redeliver`)
  expect([rejected.status, rejected.body.error]).toEqual([409, 'conflict: this delivery has not ended yet'])
  const cancelled = await service.call(endpoint.merchant, 'PUT', endpoint.deliveryPath, { status: 'cancelled' })
  expect([cancelled.status, cancelled.body.data]).toMatchObject([200, { status: 'cancelled', next_attempt_at: null }])
  responses.set(endpoint.path, 200)
  expect((await service.call(endpoint.merchant, 'POST', `${endpoint.deliveryPath}/redeliver`)).status).toBe(202)
  await reaches(endpoint, endpoint.delivery.id, { status: 'succeeded', attempt_count: 5 })
})

test('cancelling a pending delivery emits webhook.cancelled, and a delivery that has ended cannot be cancelled', async () => {
  const endpoint = await waiting()
  await service.call(endpoint.merchant, 'PUT', endpoint.deliveryPath, { status: 'cancelled' })
  const jobs = await world.db.read(em =>
    em.execute('select 1 from webhooks.jobs where delivery_id = ?', [endpoint.delivery.id]),
  )
  expect(jobs).toEqual([])
  await eventAbout(endpoint.delivery.id, 'webhook.cancelled')
  const again = await service.call(endpoint.merchant, 'PUT', endpoint.deliveryPath, { status: 'cancelled' })
  expect([again.status, again.body.error]).toEqual([409, 'conflict: this delivery is cancelled'])
})

test('a delivery in flight can be neither cancelled nor hidden', async () => {
  const endpoint = await delivered('delivering', 'hang')
  const cancelled = await service.call(endpoint.merchant, 'PUT', endpoint.deliveryPath, { status: 'cancelled' })
  expect([cancelled.status, cancelled.body.error]).toEqual([409, 'conflict: this delivery is being sent'])
  const hidden = await service.call(endpoint.merchant, 'DELETE', endpoint.deliveryPath)
  expect([hidden.status, hidden.body.error]).toEqual([409, expect.stringContaining('cancel it first')])
})

test('a hidden delivery is a 404, and its event is not delivered again', async () => {
  const endpoint = await delivered('succeeded')
  const answer = await service.call(endpoint.merchant, 'DELETE', endpoint.deliveryPath)
  expect([answer.status, answer.body]).toEqual([200, { data: { id: endpoint.delivery.id, deleted: true } }])
  for (const [method, path, body] of [
    ['GET', endpoint.deliveryPath],
    ['DELETE', endpoint.deliveryPath],
    ['PUT', endpoint.deliveryPath, { status: 'cancelled' }],
    ['POST', `${endpoint.deliveryPath}/redeliver`],
  ] as const)
    expect([method, (await service.call(endpoint.merchant, method, path, body)).status]).toEqual([method, 404])
  const list = await service.call(endpoint.merchant, 'GET', '/api/webhook-deliveries')
  expect(list.body).toMatchObject({ data: [], count: 0 })
  await eventAbout(endpoint.delivery.id, 'webhook.deleted')
  // The broker delivers the same event again after its inbox entry was pruned.
  await world.db.read(em => em.execute('delete from webhooks.inbox where message_id = ?', [endpoint.event.id]))
  await world.publish(endpoint.event)
  const marker = eventOf(endpoint.merchant.merchant_id)
  await world.publish(marker)
  await waitFor(() => receiver.at(endpoint.path).length === 2)
  expect(JSON.parse(receiver.at(endpoint.path)[1]!.body.toString()).id).toBe(marker.id)
})

test('a past event can be sent to an endpoint that does not subscribe to it, with the same bytes and its own retries', async () => {
  const endpoint = await delivered('succeeded')
  const other = await subscribed({ events: ['payment.refunded'], merchant: endpoint.merchant })
  responses.set(other.path, [500, 500])
  const input = { webhook_id: other.id, event_id: endpoint.event.id }
  const { status, body } = await service.call(endpoint.merchant, 'POST', '/api/webhook-deliveries', input)
  expect(status).toBe(201)
  expect(body.data).toMatchObject({ ...input, status: 'pending', correlation_id: endpoint.event.correlation_id })
  expect(body.data.id).not.toBe(endpoint.delivery.id)
  const after = await reaches(other, body.data.id, { status: 'succeeded', attempt_count: 3 })
  expect(after.payload).toBe(endpoint.delivery.payload)
  expect(receiver.at(other.path).every(one => one.body.toString() === endpoint.delivery.payload)).toBe(true)
})

test('an event without subscribers when it occurred can be sent later', async () => {
  const merchant = keyCaller()
  const event = eventOf(merchant.merchant_id)
  await world.publish(event)
  await waitFor(
    async () =>
      (await world.db.read(em => em.execute('select 1 from webhooks.events where id = ?', [event.id]))).length > 0,
  )
  const late = await subscribed({ merchant })
  const input = { webhook_id: late.id, event_id: event.id }
  const { body } = await service.call(merchant, 'POST', '/api/webhook-deliveries', input)
  await reaches(late, body.data.id, { status: 'succeeded' })
})

test('a test, redelivery or manual delivery repeated with its Idempotency-Key is sent once', async () => {
  const endpoint = await delivered('succeeded')
  const input = { webhook_id: endpoint.id, event_id: endpoint.event.id }
  for (const [path, body] of [
    [`/api/webhooks/${endpoint.id}/test`, undefined],
    [`${endpoint.deliveryPath}/redeliver`, undefined],
    ['/api/webhook-deliveries', input],
  ] as const) {
    const before = receiver.at(endpoint.path).length
    const key = { 'idempotency-key': `once ${path}` }
    const first = await service.call(endpoint.merchant, 'POST', path, body, key)
    const again = await service.call(endpoint.merchant, 'POST', path, body, key)
    expect([path, again.status, again.replayed, again.body]).toEqual([path, first.status, true, first.body])
    await reaches(endpoint, first.body.data.id, { status: 'succeeded' })
    expect([path, receiver.at(endpoint.path).length - before]).toEqual([path, 1])
  }
})

test('manual deliveries to a disabled endpoint are rejected with 409, and so are redeliveries of a deleted one', async () => {
  const endpoint = await delivered('succeeded')
  const input = { webhook_id: endpoint.id, event_id: endpoint.event.id }
  const calls = [
    ['POST', `/api/webhooks/${endpoint.id}/test`],
    ['POST', '/api/webhook-deliveries', input],
    ['POST', `${endpoint.deliveryPath}/redeliver`],
  ] as const
  await service.call(endpoint.merchant, 'PUT', `/api/webhooks/${endpoint.id}`, { status: 'disabled' })
  for (const [method, path, body] of calls) {
    const answer = await service.call(endpoint.merchant, method, path, body)
    expect([path, answer.status, answer.body.error]).toEqual([path, 409, 'conflict: this webhook is disabled'])
  }
  await service.call(endpoint.merchant, 'DELETE', `/api/webhooks/${endpoint.id}`)
  const statuses = []
  for (const [method, path, body] of calls)
    statuses.push((await service.call(endpoint.merchant, method, path, body)).status)
  expect(statuses).toEqual([404, 404, 409])
  expect(await read(endpoint, endpoint.delivery.id)).toMatchObject({ status: 'succeeded', attempt_count: 1 })
})

test("manual deliveries with another merchant's endpoint, event or delivery are a 403, and with an unknown one a 404", async () => {
  const owner = await delivered('succeeded')
  const stranger = await delivered('succeeded')
  const event = stranger.event.id
  const paths: [string, string, object?][] = [
    ['POST', `/api/webhooks/${owner.id}/rotate`],
    ['POST', `/api/webhooks/${owner.id}/test`],
    ['POST', `${owner.deliveryPath}/redeliver`],
    ['PUT', owner.deliveryPath, { status: 'cancelled' }],
    ['DELETE', owner.deliveryPath],
    ['POST', '/api/webhook-deliveries', { webhook_id: owner.id, event_id: event }],
    ['POST', '/api/webhook-deliveries', { webhook_id: stranger.id, event_id: owner.event.id }],
  ]
  for (const caller of [stranger.merchant, operatorCaller('all', stranger.merchant.merchant_id)]) {
    for (const [method, path, body] of paths)
      expect([path, (await service.call(caller, method, path, body)).status]).toEqual([path, 403])
  }
  for (const [method, path] of paths.slice(0, 5)) {
    const unknown = path.replace(/_[0-9a-z]{26}/, newId('whk').slice(3))
    const body = method === 'PUT' ? { status: 'cancelled' } : undefined
    expect([unknown, (await service.call(owner.merchant, method, unknown, body)).status]).toEqual([unknown, 404])
  }
  const lost = { webhook_id: owner.id, event_id: newId('evt') }
  expect((await service.call(owner.merchant, 'POST', '/api/webhook-deliveries', lost)).status).toBe(404)
  expect(receiver.at(owner.path)).toHaveLength(1)
  const unstated = await service.call(operatorCaller('all'), 'POST', `${owner.deliveryPath}/redeliver`)
  expect(unstated.status).toBe(400)
})

test("an event is not sent to another merchant's endpoint, even if the caller may write for both", async () => {
  const [one, other] = [await delivered('succeeded'), await delivered('succeeded')]
  const db = openDatabase({ url: reveal(world.config.DATABASE_URL), schema: 'webhooks', entities })
  const deps = { db, sender: { wake: () => undefined } }
  const mixed = { webhook_id: one.id as Id<'whk'>, event_id: other.event.id as Id<'evt'> }
  await expect(sendPastEvent(deps, operatorCaller('all'), mixed)).rejects.toMatchObject({ code: 'forbidden' })
  await db.close()
})

test.each([
  ['POST', '/api/webhook-deliveries', {}],
  ['POST', '/api/webhook-deliveries', { webhook_id: 'whk_1', event_id: newId('evt') }],
  ['POST', '/api/webhook-deliveries', { webhook_id: newId('whk'), event_id: newId('evt'), url: 'https://x.mx' }],
  ['PUT', `/api/webhook-deliveries/${newId('whd')}`, { status: 'succeeded' }],
  ['PUT', `/api/webhook-deliveries/${newId('whd')}`, {}],
])('%s %s with the body %j is a 400', async (method, path, body) => {
  expect((await service.call(keyCaller(), method, path, body)).status).toBe(400)
})
