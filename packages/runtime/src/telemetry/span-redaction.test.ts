import type { Attributes } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { redactSpan } from './span-redaction.ts'

function redacted(span: { name?: string; attributes?: Attributes; status?: object; events?: object[] }) {
  const whole = { name: 'GET', attributes: {}, status: { code: 0 }, events: [], ...span }
  redactSpan(whole as unknown as ReadableSpan)
  return whole
}

test.each([
  ['url.full', 'https://acquirer.test/v1/charges?card=1#x', 'https://acquirer.test/v1/charges'],
  ['url.full', 'https://user:secret@acquirer.test/v1@2', 'https://acquirer.test/v1@2'],
  ['http.url', 'http://127.0.0.1:4001/a?b=c', 'http://127.0.0.1:4001/a'],
  ['http.target', '/a/4242424242424242?b=c', '/a/[card]'],
  ['url.path', '/a/4242-4242-4242-4242', '/a/[card]'],
  ['user_agent.original', 'curl 378282246310005', 'curl [card]'],
  ['http.request.header.x', ['a', '4242424242424242'], ['a', '[card]']],
  ['http.response.status_code', 200, 200],
])('%s %p goes out as %p', (key, value, expected) => {
  expect(redacted({ attributes: { [key]: value } }).attributes).toEqual({ [key]: expected })
})

test.each(['db.query.text', 'db.statement', 'url.query', 'messaging.url'])('%s does not go out', key => {
  expect(redacted({ attributes: { [key]: 'x' } }).attributes).toEqual({})
})

test('a message is described by its present names alone', () => {
  const present = { 'messaging.destination.name': 'events:a', 'messaging.operation.name': 'publish' }
  const outdated = { 'messaging.destination': 'events', 'messaging.operation': 'publish', 'messaging.protocol': 'AMQP' }
  expect(redacted({ attributes: { ...present, ...outdated } }).attributes).toEqual(present)
})

test('card numbers go out neither in names nor in errors', () => {
  const span = redacted({
    name: 'GET /4242424242424242',
    status: { code: 2, message: 'no 4242424242424242' },
    events: [{ name: 'exception', attributes: { 'exception.message': 'no 4242424242424242' } }],
  })
  expect(span.name).toBe('GET /[card]')
  expect(span.status).toEqual({ code: 2, message: 'no [card]' })
  expect(span.events).toEqual([{ name: 'exception', attributes: { 'exception.message': 'no [card]' } }])
})

test('what the database said of a value does not go out', () => {
  const attributes = { 'db.system.name': 'postgresql' }
  const span = redacted({ attributes, status: { code: 2, message: 'invalid input syntax for type uuid: "hunter2"' } })
  expect(span.status).toEqual({ code: 2 })
})
