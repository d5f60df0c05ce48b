import { clientAddress } from './client-address.ts'
import { parseIpRange } from './ip-ranges.ts'

const proxies = ['10.0.0.0/8', 'fd00::/8'].map(parseIpRange)

test.each([
  ['203.0.113.9', undefined, '203.0.113.9'],
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['10.0.0.1', '192.0.2.66, 198.51.100.1', '198.51.100.1'],
  ['10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
  ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['10.0.0.1', 'nonsense', '10.0.0.1'],
  ['10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
  ['::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
  ['::FFFF:10.0.0.1', '::ffff:c633:6401', '198.51.100.1'],
  ['fd00::1', '2001:db8::7', '2001:db8::7'],
])('a request from %s with X-Forwarded-For %s has the client address %s', (socket, forwardedFor, expected) => {
  expect(clientAddress(proxies, { socket, forwardedFor })).toBe(expected)
})

test('ignores X-Forwarded-For if no proxy is trusted', () => {
  expect(clientAddress([], { socket: '127.0.0.1', forwardedFor: '198.51.100.1' })).toBe('127.0.0.1')
})

test('returns null for a socket without an address', () => {
  expect(clientAddress(proxies, { socket: undefined })).toBeNull()
})
