import { clabeCheckDigit, passesLuhn } from '@cobro/contracts'
import { timeGrowth } from '@cobro/testing/time-growth'
import type { Request } from 'express'
import { z } from 'zod'
import { readBody } from './read-body.ts'

const request = (body: string | Buffer, type: string | undefined = 'application/json') =>
  ({ body: Buffer.from(body as string), headers: { 'content-type': type } }) as unknown as Request

const anything = z.unknown()

test('readBody parses JSON and returns undefined for an empty body', () => {
  expect(readBody(request('{"a":[1,"é"]}', 'application/json; charset=UTF-8'), anything)).toEqual({ a: [1, 'é'] })
  expect(readBody(request(''), anything)).toBeUndefined()
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
  expect(() => readBody(unfit, anything)).toThrow(message)
})

/** Returns a CLABE with a correct check digit that passes as a Maestro card of 18 digits. */
function cardLikeClabe(): string {
  for (let account = 64_618_011_181_234_567n; ; account++) {
    const digits = `${account}${clabeCheckDigit(String(account))}`
    if (passesLuhn(digits)) return digits
  }
}

test('readBody accepts a CLABE that looks like a card number, but only as the account number of a bank', () => {
  const inBank = (digits: string) => readBody(request(JSON.stringify({ bank: { clabe: digits } })), anything)
  const cardLike = cardLikeClabe()
  expect(inBank(cardLike)).toEqual({ bank: { clabe: cardLike } })
  for (const body of [
    { clabe: cardLike },
    { metadata: { clabe: cardLike } },
    { metadata: { bank: { clabe: cardLike } } },
    { bank: { clabe: [cardLike] } },
    { bank: { clabe: '646180111812345673' } },
  ]) {
    expect(() => readBody(request(JSON.stringify(body)), anything)).toThrow('card numbers are not accepted here')
  }
})

test.each([
  ['cvv', '123'],
  ['CVC', 123],
  ['cvv2', ' 1234 '],
  ['cvc2', '１２３'],
  ['cvv', ['123']],
  ['cvv', '1 2 3'],
  ['cvv', '123-'],
  ['cvv', '\u200b123'],
  ['cvv', 'CVV: 123'],
  ['track_1', '%B6799990100000000^DOE/JANE^29121010000000000?'],
  ['Track 2', ';6799990100000000=29121010000000000?'],
  ['track2', '6799990100000000D2912'],
  ['\u0441vv', '123'],
  ['\u0421\u0474\u0474', '123'],
  ['c\u03bd\u03bd', '123'],
  ['\u03f2vc2', '123'],
  ['c\u0301vv', '123'],
  ['\u0422\u0433\u0430\u0441\u043a 2', ';6799990100000000=29121010000000000?'],
  ['\u03a4R\u0391C\u039a1', '%B6799990100000000^DOE/JANE^29121010000000000?'],
])('readBody rejects the key %s with the value %j as card data', (key, value) => {
  const body = JSON.stringify({ metadata: { inner: { [key]: value } } })
  const why = 'security codes and track data of cards are not accepted here'
  expect(() => readBody(request(body), anything)).toThrow(`invalid_request: metadata.inner.${key}: ${why}`)
})

test.each([
  { cvv: 'match' },
  { cvv: '12' },
  { cvc: 'M' },
  { cvv: 'error 123' },
  { cvv2: true },
  { track1: 'Bohemian Rhapsody' },
  { track2: '4' },
  { code: '123' },
])('readBody accepts %j, which is no card data', value => {
  expect(readBody(request(JSON.stringify({ metadata: value })), anything)).toEqual({ metadata: value })
})

const code = { cvv: '123' }
test.each([
  ['an object', JSON.stringify(code), 'metadata.note.cvv'],
  ['a list', JSON.stringify([1, code]), 'metadata.note.1.cvv'],
  ['an object with blanks around it', `\n ${JSON.stringify({ card: code }, null, 2)} `, 'metadata.note.card.cvv'],
  ['JSON in JSON', JSON.stringify({ raw: JSON.stringify([code]) }), 'metadata.note.raw.0.cvv'],
  ['an escaped key', '{"\\u0063vv":"123"}', 'metadata.note.cvv'],
  ['JSON that is nested 32 levels deep', `${'['.repeat(32)}{"cvv":"123"}${']'.repeat(32)}`, 'metadata.note.0.0'],
])('readBody rejects a security code in a text that is %s', (_what, note, at) => {
  const body = JSON.stringify({ metadata: { note } })
  const why = 'security codes and track data of cards are not accepted here'
  expect(() => readBody(request(body), anything)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(new RegExp(`^invalid_request: ${at}.*: ${why}`)) }),
  )
})

test('readBody rejects a card number in a text that is JSON, also with escapes', () => {
  const note = '{"a":"\\u0034242424242424242"}'
  expect(() => readBody(request(JSON.stringify({ metadata: { note } })), anything)).toThrow(
    'metadata.note: card numbers are not accepted here',
  )
})

test.each([
  ['a text with braces', '{name}, your code is 123'],
  ['a text in brackets', '[sic] cvv 123'],
  ['JSON without card data', '{"cvv":"match","track1":"Bohemian Rhapsody"}'],
  ['JSON that ends too early', '{"cvv":"123"'],
  ['a text about a code', 'cvv: 123'],
  ['a very deep list', `${'['.repeat(8_000)}${']'.repeat(8_000)}`],
  ['words of other scripts', '{"\u0441\u0443\u043c\u043c\u0430":"123"}'],
])('readBody accepts %s', (_what, note) => {
  const body = { metadata: { note } }
  expect(readBody(request(JSON.stringify(body)), anything)).toEqual(body)
})

test('readBody searches JSON in texts in linear time', () => {
  const nest = (text: string, levels: number): string =>
    levels === 0 ? text : nest(JSON.stringify([text]), levels - 1)
  const read = (size: number) => {
    const body = JSON.stringify({ flat: JSON.stringify(Array(size).fill(1)), deep: nest('a'.repeat(size), 6) })
    readBody(request(body), anything)
  }
  expect(timeGrowth(1_000, read)).toBeLessThan(9)
})

test('readBody rejects a text that is too long without searching it for card numbers', () => {
  const body = request(JSON.stringify({ text: '4242 4242 4242 4242 '.repeat(10) }))
  expect(() => readBody(body, z.object({ text: z.string().max(100) }))).toThrow('text: too big')
  expect(() => readBody(body, z.object({ text: z.string().max(200) }))).toThrow('card numbers are not accepted here')
})

test.each([
  ['values in a list', { list: Array(5_000).fill(0) }],
  ['keys', Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 0]))],
  ['values in lists of lists', Array.from({ length: 100 }, () => Array(50).fill({}))],
])('readBody rejects a body with more than 5,000 %s before it is validated', (_what, body) => {
  const validated: number[] = []
  const schema = z.any().refine(() => {
    validated.push(1)
    return true
  })
  expect(() => readBody(request(JSON.stringify(body)), schema)).toThrow('the body has more than 5000 values')
  expect(validated).toEqual([])
})

test("readBody says what to change about a merchant's own number that looks like a card number", () => {
  const order = (text: string) => readBody(request(JSON.stringify({ order: text })), anything)
  expect(() => order('4242424242424242')).toThrow('put a letter between its digits, or two characters between numbers')
  for (const text of ['42424242A42424242', '4242424242424']) expect(order(text)).toEqual({ order: text })
})
