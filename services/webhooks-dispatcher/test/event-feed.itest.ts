import { newId } from '@cobro/contracts'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { soon, waitFor } from '@cobro/testing'
import { dispatcherWorld, eventOf, startReplica, type World } from './dispatcher-service.ts'

type Replica = Awaited<ReturnType<typeof startReplica>>
type Caller = ReturnType<typeof keyCaller>

let world: World
let replica: Replica
beforeAll(async () => {
  world = await dispatcherWorld()
  await waitFor(() => world.connected())
  replica = await startReplica(world)
})
afterAll(async () => {
  await replica.stop()
  await world.stop()
})

const read = (caller: Caller | ReturnType<typeof clientCaller>, query = '', service = replica) =>
  service.call(caller, 'GET', `/api/webhook-events${query}`)

/** Publishes events one after another, so that their numbers are in this order. */
async function publish(merchant: Caller, ...names: string[]) {
  const { head } = (await read(merchant)).body
  const events = names.map(name => eventOf(merchant.merchant_id, name))
  for (const [place, event] of events.entries()) {
    await world.publish(event)
    await waitFor(async () => (await read(merchant)).body.head === head + place + 1)
  }
  return events
}

test('the feed of a merchant without events is empty, from the oldest event and from the latest', async () => {
  const empty = { data: [], after: 0, through: 0, head: 0, floor: 1 }
  for (const query of ['', '?after=0', '?after=latest'])
    expect(await read(keyCaller(), query)).toMatchObject({ status: 200, body: empty })
})

test("a reader gets a merchant's events in their order with the bytes that webhooks receive, and no other merchant's", async () => {
  const merchant = keyCaller()
  await publish(keyCaller(), 'payment.approved')
  const events = await publish(merchant, 'checkout_session.created', 'payment.approved')
  const { status, body } = await read(merchant)
  expect(status).toBe(200)
  expect(body).toMatchObject({ after: 0, through: 2, head: 2, floor: 1 })
  expect(body.data).toEqual(
    events.map((event, place) => ({
      ...{ sequence: place + 1, id: event.id, event: event.name },
      ...{ created_at: event.occurred_at, correlation_id: event.correlation_id },
      payload: expect.stringContaining('"note":"né"'),
    })),
  )
  expect(JSON.parse(body.data[0].payload)).toMatchObject({ id: events[0]!.id, object: 'event', event: events[0]!.name })
})

test('a reader pages with through as after, and starts at the head with latest', async () => {
  const merchant = keyCaller()
  await publish(merchant, 'payment.approved', 'payment.refunded', 'payment.approved')
  const first = (await read(merchant, '?limit=2')).body
  expect([first.data.map((one: any) => one.sequence), first.through]).toEqual([[1, 2], 2])
  const second = (await read(merchant, `?limit=2&after=${first.through}`)).body
  expect([second.data.map((one: any) => one.sequence), second.after, second.through]).toEqual([[3], 2, 3])
  expect((await read(merchant, '?after=latest')).body).toEqual({ data: [], after: 3, through: 3, head: 3, floor: 1 })
})

test.each([
  ['payment.refunded', [2]],
  ['payment.*', [1, 2]],
  ['checkout_session.created,payment.refunded', [2, 3]],
  ['*', [1, 2, 3]],
  ['payment_link.*', []],
  ['payment_link.*,payment.refunded', [2]],
])('a reader of %s gets the events %j, and learns that all were looked at', async (events, sequences) => {
  const merchant = keyCaller()
  await publish(merchant, 'payment.approved', 'payment.refunded', 'checkout_session.created')
  const { body } = await read(merchant, `?events=${events}`)
  expect(body.data.map((one: any) => one.sequence)).toEqual(sequences)
  expect(body.through).toBe(3)
})

test.each([
  ['?after=-1', 'after: expected a position or latest'],
  ['?after=1', 'after: expected at most 0, the newest event'],
  ['?limit=0', 'limit: expected at least 1'],
  ['?events=payment.nothing', 'events: expected names from the event catalog'],
  ['?events=payment.approved,', 'events: expected names from the event catalog'],
  ['?events=pay*', 'events: expected names from the event catalog'],
  ['?events=payment', 'events: expected names from the event catalog'],
  ['?events=webhook.test', 'events: expected names from the event catalog'],
  ['?wait=21', 'wait: expected at most 20 seconds'],
  ['?wait=1.5', 'wait: expected a number of seconds'],
  ['?page=1', 'page: unknown query parameter'],
])('the query %s is a 400', async (query, detail) => {
  const { status, body } = await read(keyCaller(), query)
  expect([status, body.error]).toEqual([400, expect.stringContaining(detail)])
})

test('an operator reads the feed of the merchant that it states, and must state one', async () => {
  const merchant = keyCaller()
  await publish(merchant, 'payment.approved')
  const operator = operatorCaller('all') as never
  expect(await read(operator)).toMatchObject({ status: 400, body: { error: expect.stringContaining('X-Merchant-Id') } })
  const stating = { ...operatorCaller('all'), merchant_id: merchant.merchant_id } as never
  expect((await read(stating)).body.data).toHaveLength(1)
})

test('a reader with a position before the oldest event learns that the events are gone', async () => {
  const merchant = keyCaller()
  await publish(merchant, 'payment.approved', 'payment.refunded', 'payment.approved')
  await world.db.execute('update webhooks.feed_heads set floor = 3 where merchant_id = ?', [merchant.merchant_id])
  const { status, body } = await read(merchant, '?after=1')
  expect([status, body.error]).toEqual([410, 'gone: after: expected at least 2: older events are deleted'])
  for (const query of ['', '?after=2'])
    expect((await read(merchant, query)).body).toMatchObject({
      after: 2,
      through: 3,
      floor: 3,
      data: [{ sequence: 3 }],
    })
})

test('a call that looked at its most events without a match says where to read on', async () => {
  const merchant = keyCaller()
  await world.db.execute(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at, sequence)
     select gen_random_uuid(), ?, 'payment.approved', '{}', '{}', now(), i from generate_series(1, 10500) i`,
    [merchant.merchant_id],
  )
  await world.db.execute('insert into webhooks.feed_heads (merchant_id, head) values (?, 10500)', [
    merchant.merchant_id,
  ])
  const first = (await read(merchant, '?events=payment.refunded&wait=20')).body
  expect(first).toMatchObject({ data: [], through: 10_000, head: 10_500 })
  const second = (await read(merchant, `?events=payment.refunded&after=${first.through}`)).body
  expect(second).toMatchObject({ data: [], through: 10_500 })
})

test('a call that waits returns when an event matches, and covers those that did not', async () => {
  const merchant = keyCaller()
  const waiting = read(merchant, '?after=0&events=payment.refunded&wait=20')
  await publish(merchant, 'payment.approved', 'payment.refunded')
  expect((await waiting).body).toMatchObject({
    after: 0,
    through: 2,
    data: [{ sequence: 2, event: 'payment.refunded' }],
  })
})

test('a group has the events of a newer release too', async () => {
  const merchant = keyCaller()
  await world.db.execute(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at) values (?, ?, 'payment.split', '{}', '{}', now())`,
    [newId('evt'), merchant.merchant_id],
  )
  for (const events of ['payment.*', '*']) expect((await read(merchant, `?events=${events}`)).body.data).toHaveLength(1)
  expect((await read(merchant, '?events=payment_link.*')).body).toMatchObject({ data: [], through: 1 })
})

test('a call that waits learns of an event that another replica stored', async () => {
  const merchant = keyCaller()
  const other = await startReplica(world)
  await replica.stop()
  const waiting = read(merchant, '?wait=20', other)
  await world.db.execute(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at) values (?, ?, 'payment.approved', '{}', '{}', now())`,
    [newId('evt'), merchant.merchant_id],
  )
  expect((await soon(waiting)).body.data).toHaveLength(1)
  await other.stop()
  replica = await startReplica(world)
})

test('a call that waits returns without an event after its time, and at once when the replica stops', async () => {
  const merchant = keyCaller()
  const other = await startReplica(world)
  expect((await read(merchant, '?wait=1', other)).body).toMatchObject({ data: [], through: 0 })
  const waiting = read(merchant, '?wait=20', other)
  await read(merchant, '?wait=1', other)
  await soon(other.stop())
  expect((await waiting).status).toBe(200)
})

test.each([
  ['the systems of a merchant have', keyCaller, clientCaller],
  ['a user has', clientCaller, keyCaller],
])('%s at most five calls that wait, and one that its client left does not count', async (_, callerOf, otherOf) => {
  const caller = callerOf()
  const client = new AbortController()
  const headers = await world.headers(caller)
  const wait = () => fetch(`${replica.url}/api/webhook-events?wait=20`, { headers, signal: client.signal })
  const calls = Array.from({ length: 6 }, wait)
  const rejected = await Promise.race(calls)
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await rejected.json()).toEqual({ error: 'rate_limited: expected at most 5 calls that wait' })
  // A user of the merchant, whose dashboard waits, is limited by itself.
  expect((await read(otherOf(caller.merchant_id), '?wait=1')).status).toBe(200)
  client.abort()
  await Promise.allSettled(calls)
  await waitFor(async () => (await read(caller, '?wait=1')).status === 200, { timeoutMs: 10_000 })
})

test('an event is read by its id with the bytes that webhooks receive, by its merchant only', async () => {
  const merchant = keyCaller()
  const [event] = await publish(merchant, 'payment.approved')
  const path = `/api/webhook-events/${event!.id}`
  const { status, body } = await replica.call(merchant, 'GET', path)
  expect([status, body.data]).toEqual([200, (await read(merchant)).body.data[0]])
  expect((await replica.call(keyCaller(), 'GET', path)).status).toBe(403)
  expect((await replica.call(merchant, 'GET', `/api/webhook-events/${newId('evt')}`)).status).toBe(404)
})

test('the test of a webhook is no part of the feed, and is read by its id without a sequence', async () => {
  const merchant = keyCaller()
  const endpoint = { url: 'http://127.0.0.1:4999/', events: ['*'] }
  const { id } = (await replica.call(merchant, 'POST', '/api/webhooks', endpoint)).body
  const tested = await replica.call(merchant, 'POST', `/api/webhooks/${id}/test`, {})
  expect(tested).toMatchObject({ status: 202, body: { data: { event: 'webhook.test' } } })
  const { event_id } = tested.body.data
  const { body } = await replica.call(merchant, 'GET', `/api/webhook-events/${event_id}`)
  expect(body.data).toMatchObject({ event: 'webhook.test', sequence: null })
  expect((await read(merchant)).body).toMatchObject({ data: [], head: 0 })
})
