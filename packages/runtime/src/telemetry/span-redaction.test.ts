import type { Attributes } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { redactSpan } from './span-redaction.ts'

function redacted(
  span: { name?: string; attributes?: Attributes; status?: object; events?: object[] },
  options?: { pathless: boolean },
) {
  const whole = { name: 'GET', attributes: {}, status: { code: 0 }, events: [], ...span }
  redactSpan(whole as unknown as ReadableSpan, options)
  return whole
}

test.each([
  ['url.full', 'https://acquirer.test/v1/charges?card=1#x', 'https://acquirer.test/v1/charges'],
  ['url.full', 'https://user:secret@acquirer.test/v1@2', 'https://acquirer.test/v1@2'],
  ['http.url', 'http://127.0.0.1:4001/a?b=c', 'http://127.0.0.1:4001/a'],
  ['http.target', '/a/4242424242424242?b=c', '/a/[card]'],
  ['url.path', '/a/4242-4242-4242-4242', '/a/[card]'],
  ['url.path', '/a/4242%204242%204242%204242/%C3%A9', '/a/[card]/%C3%A9'],
  ['url.path', '/a/%C3%A9', '/a/%C3%A9'],
  ['url.path', '/a/%ff%/4242424242424242', '/a/%ff%/[card]'],
  ['url.path', '/a/%ff/4929%208710%204352%206684', '/a/%ff/[card]'],
  ['url.path', '/%/%34929871043526684', '/%/[card]'],
  ['url.full', 'https://acquirer.test/%ff%34929871043526684', 'https://acquirer.test/%ff[card]'],
  ['url.path', '/a/%/vk%5Ftest_abcdefghijklmnop', '/a/%/vk_test_[secret]'],
  ['url.path', '/a/%ff/whsec%5FC2FVsBQIhrscChlQIMV', '/a/%ff/whsec_[secret]'],
  ['url.path', '/api/vk_test_abcdefghijklmnop', '/api/vk_test_[secret]'],
  ['url.path', '/api/whsec%5FC2FVsBQIhrscChlQIMV', '/api/whsec_[secret]'],
  ['user_agent.original', 'curl 378282246310005', 'curl [card]'],
  ['http.request.header.authorization', ['Token vk_live_abcdefghijklmnop'], ['Token vk_live_[secret]']],
  ['http.request.header.x', 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3IifQ.c2ln', '[secret]'],
  ['http.request.header.x', ['a', '4242424242424242'], ['a', '[card]']],
  ['http.response.status_code', 200, 200],
  ['process.ports', [80, 443], [80, 443]],
])('the span attribute %s %p is exported as %p', (key, value, expected) => {
  expect(redacted({ attributes: { [key]: value } }).attributes).toEqual({ [key]: expected })
})

test.each(['db.query.text', 'db.statement', 'url.query', 'messaging.url'])(
  'the span attribute %s is not exported',
  key => {
    expect(redacted({ attributes: { [key]: 'x' } }).attributes).toEqual({})
  },
)

test('a message span is exported without the outdated attribute names', () => {
  const present = { 'messaging.destination.name': 'events:a', 'messaging.operation.name': 'publish' }
  const outdated = { 'messaging.destination': 'events', 'messaging.operation': 'publish', 'messaging.protocol': 'AMQP' }
  expect(redacted({ attributes: { ...present, ...outdated } }).attributes).toEqual(present)
})

test('a span keeps the original HTTP method only if it differs from the method', () => {
  const other = { 'http.request.method': '_OTHER', 'http.request.method_original': 'BREW' }
  expect(redacted({ attributes: { ...other } }).attributes).toEqual(other)
  const same = { 'http.request.method': 'GET', 'http.request.method_original': 'GET' }
  expect(redacted({ attributes: same }).attributes).toEqual({ 'http.request.method': 'GET' })
})

test('card numbers and secrets are redacted in span names and errors', () => {
  const span = redacted({
    name: 'GET /4242424242424242',
    status: { code: 2, message: 'no 4242424242424242' },
    events: [{ name: 'exception', attributes: { 'exception.message': 'no amqp://cobro:hunter2@mq' } }],
  })
  expect(span.name).toBe('GET /[card]')
  expect(span.status).toEqual({ code: 2, message: 'no [card]' })
  expect(span.events).toEqual([{ name: 'exception', attributes: { 'exception.message': 'no amqp://[secret]@mq' } }])
})

test('a pathless span is exported with the origin of its URL only', () => {
  const attributes = { 'url.full': 'https://me:pass@shop.mx:8443/hooks/t0ken?a=b', 'url.path': '/hooks/t0ken' }
  const kept = { 'server.address': 'shop.mx', 'http.request.method': 'POST' }
  expect(redacted({ attributes: { ...attributes, ...kept } }, { pathless: true }).attributes).toEqual({
    'url.full': 'https://shop.mx:8443',
    ...kept,
  })
})

test('the error message of a database span is not exported', () => {
  const attributes = { 'db.system.name': 'postgresql' }
  const span = redacted({ attributes, status: { code: 2, message: 'invalid input syntax for type uuid: "hunter2"' } })
  expect(span.status).toEqual({ code: 2 })
})
