import { newId } from '@cobro/contracts'
import { readPolicyReports } from './read-policy-reports.ts'

const origin = 'https://pay.example'
const session = newId('cs')
const card = '4242424242424242'

const read = (type: string | undefined, value: unknown) =>
  readPolicyReports(type, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), origin)

/** A report as Chromium sends it. */
const newer = (body: object = {}, type = 'csp-violation') => ({
  age: 91,
  type,
  url: `${origin}/checkout/${session}`,
  user_agent: 'Mozilla/5.0',
  body: {
    documentURL: `${origin}/checkout/${session}`,
    blockedURL: 'inline',
    effectiveDirective: 'script-src-elem',
    originalPolicy: "default-src 'none'",
    disposition: 'enforce',
    sample: 'steal()',
    sourceFile: `${origin}/checkout/${session}`,
    lineNumber: 3,
    columnNumber: 9,
    statusCode: 200,
    referrer: '',
    ...body,
  },
})
const violation = {
  id: session,
  directive: 'script-src-elem',
  blocked_origin: 'inline',
  source_file: 'page',
  source_line: 3,
}
const readNewer = (body: object) => read('application/reports+json', [newer(body)])[0]

test('reads the reports of the Reporting API', () => {
  const elsewhere = newer({ blockedURL: 'https://evil.example/a.js?n=1', sourceFile: null, lineNumber: null })
  expect(read('application/reports+json; charset=utf-8', [newer(), elsewhere])).toEqual([
    violation,
    { ...violation, blocked_origin: 'https://evil.example', source_file: null, source_line: null },
  ])
})

test('reads a script without an integrity that the browser blocked', () => {
  const body = { documentURL: `${origin}/links/x`, blockedURL: `${origin}/b.js`, destination: 'script' }
  expect(read('application/reports+json', [{ type: 'integrity-violation', body }])).toEqual([
    { id: null, directive: 'integrity-policy', blocked_origin: origin, source_file: null, source_line: null },
  ])
})

test('reads the report of report-uri, also without effective-directive', () => {
  const report = {
    'document-uri': `${origin}/checkout/${session}`,
    'violated-directive': "connect-src 'self'",
    'blocked-uri': 'wss://evil.example:8443/socket',
    'source-file': `${origin}/hosted/assets/index-abcdefgh.js`,
    'line-number': 1,
    'script-sample': '',
  }
  expect(read('application/csp-report', { 'csp-report': report })).toEqual([
    {
      id: session,
      directive: 'connect-src',
      blocked_origin: 'wss://evil.example:8443',
      source_file: '/hosted/assets/index-abcdefgh.js',
      source_line: 1,
    },
  ])
})

test.each([
  ['a blocked URL', { blockedURL: `https://evil.example/${card}?n=${card}#${card}` }],
  ['a blocked host', { blockedURL: `https://${card}.evil.example/` }],
  ['a source', { sourceFile: `https://evil.example/${card}.js` }],
  ['the name of a file', { sourceFile: `${origin}/hosted/assets/${card}.js` }],
  ['the address of the page', { documentURL: `${origin}/checkout/${card}` }],
  ['fields that are not kept', { sample: card, referrer: `https://shop.mx/${card}`, originalPolicy: card }],
])('keeps no card number of %s', (_what, body) => {
  const result = readNewer(body)
  expect(result).toMatchObject({ directive: 'script-src-elem' })
  expect(JSON.stringify(result)).not.toContain('4242')
})

test('cuts long hosts, and keeps unknown texts and schemes as a word', () => {
  expect(readNewer({ blockedURL: `https://${'a'.repeat(10_000)}.example/` })).toMatchObject({
    blocked_origin: `https://${'a'.repeat(253)}`,
  })
  for (const blockedURL of ['', 'javascript:steal()', 'Ana Ruiz', 'https://', '\0'])
    expect(readNewer({ blockedURL })).toMatchObject({ blocked_origin: 'other' })
  expect(readNewer({ blockedURL: 'data:text/html,Ana' })).toMatchObject({ blocked_origin: 'data' })
})

test.each([
  { blockedURL: 'chrome-extension' },
  { blockedURL: 'moz-extension://a/b.js' },
  { sourceFile: 'safari-web-extension://a/b.js' },
  { sourceFile: 'webkit-masked-url://hidden/' },
])('recognizes the extension of a browser: %j', body => {
  expect(readNewer(body)).toBe('extension')
})

test.each([
  ['on a page of another origin', { documentURL: `https://evil.example/checkout/${session}` }],
  ['on a path without a page', { documentURL: `${origin}/docs` }],
  ['of an unknown directive', { effectiveDirective: '<b>' }],
  ['without a page', { documentURL: 7 }],
])('rejects a report %s', (_what, body) => {
  expect(readNewer(body)).toBe('rejected')
})

test('rejects reports of other types, and reads the others', () => {
  expect(read('application/reports+json', [newer({}, 'deprecation'), null, 'x', newer()])).toEqual([
    ...['rejected', 'rejected', 'rejected'],
    violation,
  ])
  expect(read('application/csp-report', [])).toEqual(['rejected'])
})

test('reads at most 100 reports of one call', () => {
  expect(read('application/reports+json', Array(101).fill(newer()))).toHaveLength(100)
})

test.each([
  ['application/json', '[]', 'unsupported_media_type'],
  [undefined, '[]', 'unsupported_media_type'],
  ['application/reports+json', '{', 'invalid_request: the body is not JSON'],
  ['application/reports+json', '', 'invalid_request: the body is not JSON'],
  ['application/reports+json', '{}', 'invalid_request: expected a list'],
  ['application/csp-report', '', 'invalid_request: the body is not JSON'],
])('rejects a body of the type %s with the content %j', (type, body, message) => {
  expect(() => read(type, body)).toThrow(message)
})
