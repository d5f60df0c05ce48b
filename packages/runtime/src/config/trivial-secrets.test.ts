import { randomBytes } from 'node:crypto'
import { isTrivialKey, isTrivialText } from './trivial-secrets.ts'

const bytes = (byteAt: (index: number) => number) => Uint8Array.from({ length: 32 }, (_, index) => byteAt(index))

test.each([
  ['zeros', bytes(() => 0)],
  ['ones', bytes(() => 0xff)],
  ['a repeated pattern of 16 bytes', bytes(index => (index % 16) * 37)],
  ['ascending numbers', bytes(index => index)],
  ['descending numbers', bytes(index => 300 - 3 * index)],
  ['typed text', Buffer.from('correct horse battery staple 123')],
  ['no bytes', new Uint8Array()],
])('a key of %s is trivial', (_what, key) => {
  expect(isTrivialKey(key)).toBe(true)
})

test('a random key is not trivial', () => {
  for (let i = 0; i < 10_000; i++) expect(isTrivialKey(randomBytes(32))).toBe(false)
})

test.each([
  ['', true],
  ['short', true],
  ['aaaaaaaaaaaaaaaaaaaa', true],
  ['121212121212121212', true],
  ['vN3x-9qLmT_2', false],
])('the password %j is trivial: %p', (text, expected) => {
  expect(isTrivialText(text, 12)).toBe(expected)
})
