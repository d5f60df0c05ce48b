import { newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { waitFor, withUnknownFields } from '@cobro/testing'
import { seededRandom } from '@cobro/testing/seeded-random'
import { callMessage, eventMessage, startedWorld, type World } from './audit-log-world.ts'

let world: World
let service: Awaited<ReturnType<World['start']>>

beforeAll(async () => {
  ;({ world, service } = await startedWorld())
})
afterAll(() => world.close())

test('a published event can be read with all its fields', async () => {
  const merchant = newId('mrc')
  const message = eventMessage({
    merchant_id: merchant,
    target_id: newId('txn'),
    correlation_id: newId('corr'),
    request_id: newId('req'),
    actor: { type: 'payer', id: null },
  })
  await world.publish(message)
  const { body } = await waitFor(async () => {
    const answer = await service.call(operatorCaller('all'), `/api/events/${message.id}`)
    return answer.status === 200 && answer
  })
  expect(body.data).toEqual({
    id: message.id,
    seq: expect.any(Number),
    action: 'payment.approved',
    category: 'payment',
    correlation_id: message.correlation_id,
    request_id: message.request_id,
    target_id: message.target_id,
    merchant_id: merchant,
    actor: { type: 'payer', id: null },
    method: null,
    path: null,
    status_code: null,
    ip: null,
    user_agent: null,
    duration_ms: null,
    trace_id: null,
    amount_cents: 25_000,
    currency: 'MXN',
    metadata: { brand: 'visa', last4: '4242' },
    occurred_at: message.occurred_at,
  })
})

test('events that arrive twice and up to ten thousand positions late are stored once each, and the log verifies', async () => {
  const correlation_id = newId('corr')
  const random = seededRandom(20260727)
  const messages = Array.from({ length: 12_000 }, () => eventMessage({ correlation_id }))
  const sent = messages.flatMap(message => (random() < 0.3 ? [message, message] : [message]))
  const arriving = sent
    .map((message, place) => ({ message, place: place + random() * 10_000 }))
    .toSorted((a, b) => a.place - b.place)
  expect(sent.length).toBeGreaterThan(messages.length * 1.28)
  for (let from = 0; from < arriving.length; from += 4_000)
    await Promise.all(arriving.slice(from, from + 4_000).map(({ message }) => world.publish(message)))
  const rows = await waitFor(
    async () => {
      const rows = await world.recorded(correlation_id)
      return rows.length >= messages.length && rows
    },
    { timeoutMs: 60_000 },
  )
  expect(rows.map(row => row.id).sort()).toEqual(messages.map(message => message.id).sort())
  const { body } = await service.call(operatorCaller('all'), '/api/events/integrity')
  expect(body.data).toMatchObject({ ok: true, first_fault: null })
  expect(body.data.checked).toBe(body.data.size)
})

test('events wait in the queue while the head of the log does not verify, and none is dead-lettered', async () => {
  const correlation_id = newId('corr')
  await world.publish(eventMessage({ correlation_id }))
  await waitFor(async () => (await world.recorded(correlation_id)).length === 1)
  const [head] = await world.sql<{ previous: string }>(
    `select encode(previous, 'hex') as previous from audit.tree_head`,
  )
  await world.sql(`update audit.tree_head set previous = sha256('x') returning size`)
  await Promise.all(Array.from({ length: 50 }, () => world.publish(eventMessage({ correlation_id }))))
  const integrity = await service.call(operatorCaller('all'), '/api/events/integrity')
  expect(integrity.body.data).toMatchObject({ ok: false, first_fault: { kind: 'head_changed' } })
  await world.withoutRetryQueue(async () => {
    await waitFor(async () => (await world.readyMessageCount('queue')) === 0)
    await world.sql(`update audit.tree_head set previous = decode('${head!.previous}', 'hex') returning size`)
    await waitFor(async () => (await world.recorded(correlation_id)).length === 51)
  })
  expect([await world.readyMessageCount('deadLetter'), await world.readyMessageCount('retry')]).toEqual([0, 0])
})

test('two replicas of the audit log store each event once', async () => {
  const second = await world.start()
  const correlation_id = newId('corr')
  const messages = Array.from({ length: 400 }, () => eventMessage({ correlation_id }))
  await Promise.all([...messages, ...messages].map(world.publish))
  await waitFor(async () => (await world.recorded(correlation_id)).length === messages.length)
  await second.stop()
})

test('events of a newer release with unknown fields or names are recorded', async () => {
  const correlation_id = newId('corr')
  const messages = [
    eventMessage({ correlation_id }),
    eventMessage({ name: 'payment.reversed_later', correlation_id }),
    eventMessage({ name: 'loyalty.points_given', correlation_id }),
    callMessage('/api/loyalty', 200, { correlation_id }),
  ]
  for (const message of messages) await world.publish(withUnknownFields(message))
  await waitFor(async () => (await world.recorded(correlation_id)).length === messages.length)
})

test('internal events are not recorded in the audit log', async () => {
  const correlation_id = newId('corr')
  const last = eventMessage({ correlation_id })
  await world.publish(eventMessage({ name: 'payment_attempt.settled', correlation_id }))
  await world.publish(last)
  const rows = await waitFor(async () => {
    const rows = await world.recorded(correlation_id)
    return rows.length > 0 && rows
  })
  expect(rows.map(row => row.id)).toEqual([last.id])
})

test('unreadable messages are dead-lettered, events that cannot be stored are retried, and others are recorded', async () => {
  const correlation_id = newId('corr')
  const good = Array.from({ length: 20 }, () => eventMessage({ correlation_id }))
  const ofFarFuture = eventMessage({ id: newId('evt', Date.now() + 400 * 86_400_000), correlation_id })
  await world.publishBytes(Buffer.from('{"id":'))
  await Promise.all([...good.slice(0, 10), ofFarFuture, ...good.slice(10)].map(world.publish))
  await waitFor(async () => (await world.recorded(correlation_id)).length === good.length)
  await waitFor(
    async () => (await world.readyMessageCount('deadLetter')) === 1 && (await world.readyMessageCount('retry')) === 1,
  )
})

test('no event is lost when a replica stops under load', async () => {
  const replica = await world.start()
  const correlation_id = newId('corr')
  const messages = Array.from({ length: 300 }, () => eventMessage({ correlation_id }))
  await Promise.all(messages.map(world.publish))
  await replica.stop()
  await waitFor(async () => (await world.recorded(correlation_id)).length === messages.length)
})
