import type { Attributes, Span } from '@opentelemetry/api'
import { createInstrumentations, describeConsume, describePublish, describeQuery } from './instrumentations.ts'

const correlationId = 'corr_01jd0000000000000000000000'

/** Returns the attributes that a hook gives a span, and its name; `before` is the previous name. */
function recorded(describe: (span: Span) => void, before?: string): Attributes {
  const attributes: Attributes = {}
  const span = {
    name: before,
    setAttribute: (name: string, value: string) => Object.assign(attributes, { [name]: value }),
    setAttributes: (more: Attributes) => Object.assign(attributes, more),
    updateName: (name: string) => Object.assign(attributes, { name }),
  }
  describe(span as unknown as Span)
  return attributes
}

test('only the libraries that services use are instrumented', () => {
  const names = createInstrumentations(true, new WeakSet()).map(instrumentation => instrumentation.instrumentationName)
  const expected = ['amqplib', 'http', 'pg', 'pino', 'runtime-node', 'undici']
  expect(names.sort()).toEqual(expected.map(name => `@opentelemetry/instrumentation-${name}`))
})

test('a publish span has the attributes of the current semantic conventions', () => {
  const options = { messageId: 'evt_1', correlationId }
  const message = { exchange: 'cobro.events', routingKey: 'payment.approved', content: Buffer.alloc(0), options }
  expect(recorded(span => describePublish(span, { ...message, moduleVersion: '2.3.1' }))).toEqual({
    name: 'publish cobro.events',
    'messaging.system': 'rabbitmq',
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.destination.name': 'cobro.events:payment.approved',
    'messaging.rabbitmq.destination.routing_key': 'payment.approved',
    'messaging.message.id': 'evt_1',
    'messaging.message.conversation_id': correlationId,
    correlation_id: correlationId,
  })
})

test('a consume span has the attributes of the current semantic conventions', () => {
  const fields = { exchange: '', routingKey: 'replies', deliveryTag: 3, redelivered: false, consumerTag: 'c' }
  const msg = { fields, properties: { messageId: 'evt_1', correlationId: 'evt_0' }, content: Buffer.alloc(0) }
  const consume = { msg, moduleVersion: '2.3.1' } as unknown as Parameters<typeof describeConsume>[1]
  expect(recorded(span => describeConsume(span, consume), 'cobro.checkout.events process')).toEqual({
    name: 'process cobro.checkout.events',
    'messaging.system': 'rabbitmq',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'replies',
    'messaging.rabbitmq.destination.routing_key': 'replies',
    'messaging.message.conversation_id': 'evt_0',
    'messaging.message.id': 'evt_1',
    'messaging.rabbitmq.message.delivery_tag': 3,
  })
})

test('the span of a reply is not named after its queue, which is unique', () => {
  const routingKey = 'cobro.replies.4c2d7a54-6f3a-4d6a-9d0c-0f6a8e1b2c3d'
  const fields = { exchange: 'cobro.replies', routingKey, deliveryTag: 3, redelivered: false, consumerTag: 'c' }
  const msg = { fields, properties: {}, content: Buffer.alloc(0) }
  const consume = { msg, moduleVersion: '2.3.1' } as unknown as Parameters<typeof describeConsume>[1]
  expect(recorded(span => describeConsume(span, consume), `${routingKey} process`)).toMatchObject({
    name: 'process (temporary)',
  })
})

test.each([
  ['amq.rabbitmq.reply-to.g1h2AA.9z==', 'publish (temporary)'],
  ['cobro.checkout.events', 'publish cobro.checkout.events'],
])('the span of a publish directly to the queue %s is named %s', (routingKey, name) => {
  const message = { exchange: '', routingKey, content: Buffer.alloc(0), moduleVersion: '2.3.1' }
  expect(recorded(span => describePublish(span, message), 'publish <default>')).toMatchObject({ name })
})

test.each([
  ['select "r0".* from "transactions"."refunds" as "r0" where "r0"."id" = ?', 'SELECT transactions.refunds'],
  ['\n  insert into webhooks.jobs (delivery_id) values ($1)', 'INSERT webhooks.jobs'],
  ['update audit.tree_state set size = 1', 'UPDATE audit.tree_state'],
  ['delete from checkout.outbox', 'DELETE checkout.outbox'],
  ['select extract(epoch from now() - r.asked_at) from a.refunds r', 'SELECT a.refunds'],
  ['select 1 from a.b where c is distinct from d.e and true', 'SELECT a.b'],
  ['with due as (select id from a.b for update skip locked) update a.b set c = 1', 'WITH a.b'],
  ['select extract(epoch from r.asked_at) from a.refunds r', 'SELECT a.refunds'],
  ['select 1 from a.b join a.c on true', 'SELECT base'],
  ['select 1 from a.b where id in (select id from a.c)', 'SELECT base'],
  ['select * from audit.events_2026_11', 'SELECT base'],
  ["select pg_notify('x', 'paid from juan.perez today')", 'SELECT base'],
  ["update a.b set note = E'it\\'s from juan.perez today' where x = 'join o''neil.b (c)'", 'UPDATE a.b'],
  ['/* planned for its values */ select 1 from a.b', 'SELECT a.b'],
  ['begin', 'BEGIN base'],
  ['commit;', 'COMMIT base'],
  ['(select 1 from a.b) union all (select 2 from a.b)', 'SELECT a.b'],
])('the span of the query %s is named %s', (text, name) => {
  const [operation, target] = name.split(' ')
  const query = { query: { text }, connection: { database: 'base', host: '', port: 0, user: '' } }
  expect(recorded(span => describeQuery(span, query), 'pg.query')).toEqual({
    name,
    'db.operation.name': operation,
    ...(target === 'base' ? {} : { 'db.collection.name': target }),
  })
})

test('a statement is searched for its table once, until a thousand others were', () => {
  const search = jest.spyOn(String.prototype, 'matchAll')
  const connection = { database: 'base', host: '', port: 0, user: '' }
  const searches = (...texts: string[]) => {
    for (const text of texts) recorded(span => describeQuery(span, { query: { text }, connection }))
    return search.mock.calls.length
  }
  const text = 'select 1 from a.repeated'
  expect(searches(text, text)).toBe(1)
  expect(searches(...Array.from({ length: 1_000 }, (_, number) => `select ${number} from a.b`))).toBe(1_001)
  expect(searches(text)).toBe(1_002)
  search.mockRestore()
})

test('a span without an SQL statement keeps its name', () => {
  const query = { query: { text: '' }, connection: {} }
  expect(recorded(span => describeQuery(span, query), 'pg.query')).toEqual({})
})
