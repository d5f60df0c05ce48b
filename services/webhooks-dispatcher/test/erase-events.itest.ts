import { newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { erasePayer } from '@cobro/service'
import { explainQuery, hasSequentialScan, indexesOf } from '@cobro/testing'
import { readFeed } from '../src/event-feed/read-feed.ts'
import { webhooksPayerData } from '../src/personal-data/webhooks-payer-data.ts'
import { redeliver } from '../src/webhook-deliveries/redeliver.ts'
import { eventOf } from './dispatcher-service.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

const ana = 'ana@example.com'
let world: QueueWorld
beforeEach(async () => {
  world = await queueWorld()
})
afterEach(() => world.stop())

const erase = () => erasePayer(world.db, webhooksPayerData, ana)
const dataOf = async (event: { id: string }) => {
  const [row] = await world.run<{ body: Buffer }>('select body from webhooks.events where id = ?', [event.id])
  return JSON.parse(String(row?.body)).data
}
const deliver = async (merchant: ReturnType<typeof keyCaller>, data: object, name?: string) => {
  const event = eventOf(merchant.merchant_id, name, data as Record<string, unknown>)
  await world.fanOut(event)
  return event
}
const end = async () => {
  for (const delivery of await world.take()) await world.record(delivery, 200, { kind: 'succeeded' })
}

test('erases the payer of events whose deliveries have ended, and of the others once they have', async () => {
  const { merchant } = await world.endpoint(0)
  const transaction = await deliver(merchant, {
    ...{ payer_email: 'ANA@Example.com', customer_ref: 'c-7', amount_cents: 25_000, card: { last4: '4242' } },
    metadata: { to: ana, 'also-not': 'diana@example.com' },
  })
  const customer = { first_name: 'Ana', email: ana }
  const session = await deliver(merchant, { id: newId('cs'), customer }, 'checkout_session.completed')
  const similar = await deliver(merchant, { payer_email: 'diana@example.com' })
  await end()
  const waiting = await deliver(merchant, { payer_email: ana, metadata: null })
  const beforeOf = { waiting: await dataOf(waiting), similar: await dataOf(similar) }

  expect(await erase()).toEqual({ erased: { webhook_events: 2 }, waiting: 1, unpublished: 0 })
  expect(await dataOf(transaction)).toEqual({
    ...(transaction.data as object),
    ...{ payer_email: null, customer_ref: null, metadata: { to: '[erased]', 'also-not': 'diana@example.com' } },
  })
  expect(Object.keys(await dataOf(transaction))).toEqual(Object.keys(transaction.data))
  expect(await dataOf(session)).toEqual({ ...(session.data as object), customer: null })
  expect([await dataOf(waiting), await dataOf(similar)]).toEqual([beforeOf.waiting, beforeOf.similar])
  const answered = await world.run('select 1 from webhooks.attempts where response_body is not null')
  expect(answered).toHaveLength(1)

  // The pending delivery is sent with what was stored, and the next run erases it.
  const [sent] = await world.take()
  expect(JSON.parse(String(sent?.body)).data.payer_email).toBe(ana)
  expect(await erase()).toMatchObject({ erased: { webhook_events: 0 }, waiting: 1 })
  if (sent) await world.record(sent, 500, { kind: 'exhausted' })
  expect(await erase()).toMatchObject({ erased: { webhook_events: 1 }, waiting: 0 })
  expect(await dataOf(waiting)).toMatchObject({ payer_email: null, metadata: null })
  expect(await erase()).toMatchObject({ erased: { webhook_events: 0 }, waiting: 0 })
})

test('an erased event is sent again without its payer, and keeps its number in the feed', async () => {
  const { merchant } = await world.endpoint(0)
  const events = [await deliver(merchant, { payer_email: ana }), await deliver(merchant, { payer_email: 'b@x.mx' })]
  await end()
  await erase()
  const page = await readFeed(world.db, merchant.merchant_id, { after: 0, limit: 50, events: undefined })
  expect(page.data.map(({ id, sequence }) => [id, sequence])).toEqual(events.map(({ id }, place) => [id, place + 1]))
  expect(page.data.map(({ payload }) => JSON.parse(payload).data.payer_email)).toEqual([null, 'b@x.mx'])
  const [delivery] = await world.run<{ id: never }>('select id from webhooks.deliveries where event_id = ?', [
    events[0]?.id,
  ])
  await redeliver({ ...world.deps, sender: { wake: () => undefined } } as never, merchant, delivery?.id as never)
  const [again] = await world.take()
  expect(JSON.parse(String(again?.body))).toMatchObject({ id: events[0]?.id, data: { payer_email: null } })
})

test('events without subscribers are erased, and the export lists events with their deliveries', async () => {
  const { merchant } = await world.endpoint(0)
  const sent = await deliver(merchant, { payer_email: ana })
  const unsent = await deliver(keyCaller(), { payer_email: ana })
  await end()
  const find = () => world.db.write((tx, emit) => webhooksPayerData.find(tx, emit, ana))
  const { webhook_events: found = [] } = await find()
  expect(found).toEqual(
    [sent, unsent]
      .map(({ id, name, merchant_id, data }) => ({
        ...{ id, event: name, merchant_id },
        payload: expect.objectContaining({ id, object: 'event', data }),
        deliveries: id === sent.id ? [expect.objectContaining({ status: 'succeeded' })] : [],
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
  expect(await erase()).toMatchObject({ erased: { webhook_events: 2 } })
  expect(await find()).toEqual({ webhook_events: [] })
})

test.each([
  ['{"data":{"payer_email":"A@B.mx"}}', 'a@b.mx'],
  ['{"data":{"customer":{"email":"A@B.mx"}}}', 'a@b.mx'],
  ['{"data":{"payer_email":null,"customer":{"email":"a@b.mx"}}}', 'a@b.mx'],
  ['{"data":{"metadata":{"payer_email":"a@b.mx"}}}', null],
  ['{"data":{"customer":"a@b.mx"}}', null],
  ['{"data":["a@b.mx"]}', null],
  ['"a@b.mx"', null],
  ['{"data":{"payer_email":"a@b.mx","note":"\\u0000"}}', null],
  ['{"data":{"payer_email":"a@b.mx"', null],
  ['', null],
])('the payer of the event %s is %s', async (body, payer) => {
  const [row] = await world.run(`select webhooks.payer_of(convert_to(?, 'UTF8')) as payer`, [body])
  expect(row).toEqual({ payer })
  // Whatever its bytes are, an event can be stored.
  await world.run(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at)
     values ('e', 'm', 'webhook.test', convert_to(?, 'UTF8') || '\\xff'::bytea, '{}', now())`,
    [body],
  )
})

test('finds the events of a payer among many by index', async () => {
  await world.run(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at, sequence)
     select 'evt_' || n, 'm', 'payment.approved',
       convert_to('{"data":{"payer_email":"P' || n || '@Example.com"}}', 'UTF8'), '{}', now(), n
     from generate_series(1, 20000) as n`,
  )
  await world.run(
    `insert into webhooks.deliveries (id, webhook_id, merchant_id, url, event_id, event, kind, status, created_at)
     select 'd' || n, 'w', 'm', 'u', 'evt_' || n, '', 'manual', 'succeeded', now() from generate_series(1, 20000) n`,
  )
  const statements: string[] = []
  const execute = async (sql: string, params: readonly unknown[]) => {
    statements.push(world.db.orm.em.getPlatform().formatQuery(sql, params))
    return statements.length === 1 ? [{ id: 'evt_7', payload: '{"data":{}}' }] : []
  }
  const emit = (() => undefined) as never
  await webhooksPayerData.eraseBatch({ execute } as never, emit, { email: 'p7@example.com', always: false })
  await webhooksPayerData.find({ execute } as never, emit, 'p7@example.com')
  await webhooksPayerData.countWaiting({ ...world.db, execute: execute as never }, 'p7@example.com')
  expect(statements).toHaveLength(5)
  // Without statistics of the new index, and with them.
  for (const analyzed of [false, true]) {
    if (analyzed) await world.asOwner('analyze webhooks.events, webhooks.deliveries')
    const used = new Set<string>()
    for (const statement of statements) {
      const plan = await explainQuery(world.asOwner, statement)
      expect([statement, hasSequentialScan(plan, /^(events|deliveries|attempts)/)]).toEqual([statement, false])
      for (const index of indexesOf(plan)) used.add(index)
    }
    expect([...used]).toContain('events_payer')
  }
})
