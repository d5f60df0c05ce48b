import { rejectedUrls } from '@cobro/testing/rejected-urls'
import fc from 'fast-check'
import { findUrlProblem, isPublicAddress } from './url-rules.ts'

const sandbox = { httpsOnly: false, allowPrivate: false }
const notPublic = 'expected a public address'
const production = { httpsOnly: true, allowPrivate: false }

test.each([
  'https://example.com',
  'https://example.com/hooks?shop=1&x=%20',
  'https://hooks.example.com:8443/a',
  'https://ñandú.example/ruta',
  'https://93.184.215.14/',
  'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  'HTTPS://EXAMPLE.COM/',
  'https://example.com:65535/',
  'https://127.0.0.1.example.com/',
  'https://localhost.example.com/',
])('a webhook URL can be %s', url => {
  expect(findUrlProblem(url, production)).toBeUndefined()
})

test('a webhook URL can use http in the sandbox only', () => {
  expect(findUrlProblem('http://example.com/', sandbox)).toBeUndefined()
  expect(findUrlProblem('http://example.com/', production)).toBe('expected an https URL')
})

test('at least 144 different private URLs are tested', () => {
  expect(rejectedUrls.length).toBeGreaterThanOrEqual(144)
  expect(new Set(rejectedUrls.map(([, url]) => url)).size).toBe(rejectedUrls.length)
})

test.each(rejectedUrls)('a webhook URL with a private address is rejected: %s', (_case, url) => {
  expect(findUrlProblem(url, sandbox)).toBe('expected a public address')
  expect(findUrlProblem(url.replace('http:', 'https:'), { httpsOnly: true, allowPrivate: true })).toBeUndefined()
})

test.each([
  ['nothing', ''],
  ['a path', '/hooks'],
  ['a host alone', 'example.com'],
  ['no host', 'https:///hooks'],
  ['no slashes', 'https:example.com'],
  ['one slash', 'https:/example.com'],
  ['backslashes', 'https:\\\\example.com\\hooks'],
  ['a backslash in the path', 'https://example.com\\@127.0.0.1/'],
  ['a blank before', ' https://example.com/'],
  ['a blank within', 'https://example.com/a b'],
  ['a line break', 'https://example.com/\r\nX-Evil: 1'],
  ['a tab in the host', 'https://127.0\t.0.1/'],
  ['a zone', 'https://[fe80::1%25lo]/'],
  ['too large a number', 'https://4294967296/'],
  ['too large a port', 'https://example.com:65536/'],
])('a webhook URL that is not absolute is rejected: %s', (_case, url) => {
  expect(findUrlProblem(url, sandbox)).toBe('expected an absolute https or http URL')
})

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com:70/x',
  'javascript://example.com/%0aalert(1)',
  'ws://example.com/',
])('a webhook URL with another scheme is rejected: %s', url => {
  expect(findUrlProblem(url, sandbox)).toMatch(/^expected an (absolute )?https or http URL$/)
})

test.each([
  'https://me@example.com/',
  'https://me:secret@example.com/',
  'https://:secret@example.com/',
  'https://example.com@127.0.0.1/',
])('a webhook URL with credentials is rejected: %s', url => {
  expect(findUrlProblem(url, sandbox)).toBe('expected a URL without credentials')
})

test.each([0, 22, 25, 53, 110, 143, 445, 3306, 5432, 5672, 6379, 9200, 11211, 15672, 26379, 27017])(
  'a webhook URL with port %d is rejected, also in local development',
  port => {
    const url = `https://example.com:${port}/`
    expect(findUrlProblem(url, sandbox)).toBe(`port ${port} is not allowed`)
    expect(findUrlProblem(url, { ...sandbox, allowPrivate: true })).toBe(`port ${port} is not allowed`)
  },
)

test.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '1.1.1.1', '172.15.0.1', '172.32.0.1'])(
  'the address %s is public',
  address => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each(['10.0.0.1', '::1', 'fe80::1%eth0', '', 'example.com', '127.0.0.1\0'])(
  '%j is not a public address',
  address => {
    expect(isPublicAddress(address)).toBe(false)
  },
)

/** Any address of a range, as four bytes. */
const inRange = (first: number, second: [number, number] = [0, 255]) =>
  fc.tuple(fc.constant(first), fc.integer({ min: second[0], max: second[1] }), fc.nat(255), fc.nat(255))
const privateBytes = fc.oneof(
  inRange(10),
  inRange(127),
  inRange(172, [16, 31]),
  inRange(192, [168, 168]),
  inRange(169, [254, 254]),
)
const numberOf = (bytes: number[]) => bytes.reduce((sum, byte) => sum * 256 + byte, 0)
const hextets = ([a = 0, b = 0, c = 0, d = 0]: number[]) =>
  `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`

test('private addresses are rejected in every IPv4 notation and in every IPv6 wrapping', () => {
  fc.assert(
    fc.property(privateBytes, bytes => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes
      const hosts = [
        bytes.join('.'),
        String(numberOf(bytes)),
        `0x${numberOf(bytes).toString(16)}`,
        `0${numberOf(bytes).toString(8)}`,
        bytes.map(byte => `0x${byte.toString(16)}`).join('.'),
        bytes.map(byte => `0${byte.toString(8)}`).join('.'),
        `${a}.${numberOf([b, c, d])}`,
        `${a}.${b}.${numberOf([c, d])}`,
        ...[`[::ffff:${hextets(bytes)}]`, `[::${hextets(bytes)}]`, `[::ffff:0:${hextets(bytes)}]`],
        ...[`[64:ff9b::${hextets(bytes)}]`, `[64:ff9b:1::${hextets(bytes)}]`, `[2002:${hextets(bytes)}::1]`],
      ]
      for (const host of hosts)
        expect([host, findUrlProblem(`https://${host}/`, production)]).toEqual([host, notPublic])
    }),
  )
})

test('global unicast addresses are public in IPv4 and IPv6', () => {
  const publicBytes = fc.tuple(
    fc.constantFrom(8, 31, 93, 140, 201),
    fc.nat(255),
    fc.nat(255),
    fc.integer({ min: 1, max: 254 }),
  )
  fc.assert(fc.property(publicBytes, bytes => expect(isPublicAddress(bytes.join('.'))).toBe(true)))
  const group = fc.integer({ min: 1, max: 65_535 }).map(value => value.toString(16))
  const rest = fc.array(group, { minLength: 7, maxLength: 7 })
  fc.assert(fc.property(rest, groups => expect(isPublicAddress(['2a00', ...groups].join(':'))).toBe(true)))
})
