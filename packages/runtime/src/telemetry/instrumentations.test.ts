import type { Attributes, Span } from '@opentelemetry/api'
import { createInstrumentations, describeConsume, describePublish } from './instrumentations.ts'

const correlationId = 'corr_01jd0000000000000000000000'

function recorded(describe: (span: Span) => void): Attributes {
  const attributes: Attributes = {}
  describe({ setAttributes: (more: Attributes) => Object.assign(attributes, more) } as unknown as Span)
  return attributes
}

test('instruments what services work with and nothing else', () => {
  const names = createInstrumentations(true, new WeakSet()).map(instrumentation => instrumentation.instrumentationName)
  const expected = ['amqplib', 'express', 'http', 'pg', 'pino', 'runtime-node', 'undici']
  expect(names.sort()).toEqual(expected.map(name => `@opentelemetry/instrumentation-${name}`))
})

test('a publish is described by the present conventions', () => {
  const options = { messageId: 'evt_1', correlationId }
  const message = { exchange: 'cobro.events', routingKey: 'payment.approved', content: Buffer.alloc(0), options }
  expect(recorded(span => describePublish(span, { ...message, moduleVersion: '2.3.1' }))).toEqual({
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

test('a message received is described by the present conventions', () => {
  const fields = { exchange: '', routingKey: 'replies', deliveryTag: 3, redelivered: false, consumerTag: 'c' }
  const msg = { fields, properties: { messageId: 'evt_1', correlationId: 'evt_0' }, content: Buffer.alloc(0) }
  const consume = { msg, moduleVersion: '2.3.1' } as unknown as Parameters<typeof describeConsume>[1]
  expect(recorded(span => describeConsume(span, consume))).toEqual({
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
