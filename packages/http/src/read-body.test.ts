import type { Request } from 'express'
import { readBody } from './read-body.ts'

const request = (body: string | Buffer, type: string | undefined = 'application/json') =>
  ({ body: Buffer.from(body as string), headers: { 'content-type': type } }) as unknown as Request

test('readBody parses JSON and returns undefined for an empty body', () => {
  expect(readBody(request('{"a":[1,"é"]}', 'application/json; charset=UTF-8'))).toEqual({ a: [1, 'é'] })
  expect(readBody(request(''))).toBeUndefined()
})

test.each([
  ['broken JSON', request('{"a":'), 'invalid_request: the body is not JSON'],
  ['bytes that are not UTF-8', request(Buffer.from([0x22, 0xff, 0x22])), 'invalid_request: the body is not JSON'],
  [
    'another content type',
    request('a=1', 'application/x-www-form-urlencoded'),
    'unsupported_media_type: expected Content-Type: application/json',
  ],
  ['no content type', request('{}', ''), 'unsupported_media_type: expected Content-Type: application/json'],
  [
    'another charset',
    request('{}', 'application/json; charset=utf-7'),
    'unsupported_media_type: expected Content-Type: application/json',
  ],
  [
    'a card number',
    request('{"a":{"note":"4242 4242 4242 4242"}}'),
    'invalid_request: a.note: card numbers are not accepted here',
  ],
  [
    'a card number as a number',
    request('{"n":4242424242424242}'),
    'invalid_request: n: card numbers are not accepted here',
  ],
  [
    'a card number as a key',
    request('{"4242424242424242":1}'),
    'invalid_request: body: card numbers are not accepted here',
  ],
  [
    'a card number under the name of a CLABE',
    request('{"clabe":{"pan":"4242424242424242"}}'),
    'invalid_request: clabe.pan: card numbers are not accepted here',
  ],
  [
    'a card of another length as a CLABE',
    request('{"clabe":"4242424242424242"}'),
    'invalid_request: clabe: card numbers are not accepted here',
  ],
  ['a NUL', request('{"a":"\\u0000"}'), 'invalid_request: a: expected well-formed text'],
  ['half a surrogate pair', request('{"a":"\\ud800"}'), 'invalid_request: a: expected well-formed text'],
  ['__proto__', request('{"__proto__":{"x":1}}'), 'invalid_request: body: a key is not allowed'],
  [
    'endless nesting',
    request(`${'['.repeat(5000)}${']'.repeat(5000)}`),
    'invalid_request: the body is nested deeper than 32 levels',
  ],
])('readBody rejects %s', (_what, unfit, message) => {
  expect(() => readBody(unfit)).toThrow(message)
})

test('readBody accepts a CLABE, which may look like a card number', () => {
  expect(readBody(request('{"bank":{"clabe":"646180111812345678"}}'))).toBeDefined()
})
