import { createHash } from 'node:crypto'
import { newId } from '@cobro/contracts'
import { readPageInventory } from '@cobro/hosted-page/page-inventory'
import { pageSecurityHeaders } from '@cobro/hosted-page/page-security-headers'
import { internalHeaders } from '@cobro/http'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { callsTo, payer } from './checkout-calls.ts'
import { checkoutUnderTest } from './checkout-under-test.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
beforeAll(async () => {
  service = await checkoutUnderTest()
})
afterAll(() => service.stop())

const call = callsTo(() => service)
const merchant = keyCaller()
const origin = 'https://pay.example.com'
const card = '4242424242424242'

async function report(type: string, body: unknown, address?: string) {
  const response = await fetch(`${service.url}/hosted/v1/csp-reports`, {
    method: 'POST',
    headers: {
      ...(await service.headers(payer)),
      ...(address && { [internalHeaders.clientAddress]: address }),
      'content-type': type,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}
const newer = (id: string, blockedURL: string, more: object = {}) => ({
  type: 'csp-violation',
  body: { documentURL: `${origin}/checkout/${id}`, blockedURL, effectiveDirective: 'connect-src', ...more },
})
const accepted = { status: 204, text: '' }
const recorded = (host: string) =>
  service.tap.messages.filter(
    ({ name, data }) => name === 'hosted_page.csp_violated' && data.blocked_origin.includes(host),
  )

test('records a violation once for both kinds of reports, without what the blocked URL contains', async () => {
  const id = newId('cs')
  const older = {
    'document-uri': `${origin}/checkout/${id}`,
    'violated-directive': 'connect-src',
    'blocked-uri': `https://one.evil.example/?n=${card}`,
    'source-file': `${origin}/checkout/${id}`,
    'line-number': 4,
    'script-sample': card,
  }
  expect(await report('application/csp-report', { 'csp-report': older })).toEqual(accepted)
  const again = newer(newId('cs'), `https://one.evil.example/?n=${card}`)
  expect(await report('application/reports+json', [again, newer(id, 'https://two.evil.example/')])).toEqual(accepted)
  await waitFor(() => recorded('two.evil.example').length > 0)
  expect(recorded('one.evil.example')).toEqual([
    expect.objectContaining({
      target_id: id,
      merchant_id: null,
      correlation_id: null,
      actor: { type: 'payer', id: null },
      data: {
        id,
        directive: 'connect-src',
        blocked_origin: 'https://one.evil.example',
        source_file: 'page',
        source_line: 4,
      },
    }),
  ])
  expect(JSON.stringify(service.tap.messages)).not.toContain(card)
})

test('records nothing for extensions, other origins and other types, and answers 204', async () => {
  const reports = [
    newer(newId('cs'), 'https://three.evil.example/', { sourceFile: 'moz-extension://a/b.js' }),
    newer(newId('cs'), 'https://three.evil.example/', { documentURL: 'https://other.example/checkout/x' }),
    { ...newer(newId('cs'), 'https://three.evil.example/'), type: 'deprecation' },
    newer(newId('cs'), 'https://four.evil.example/'),
  ]
  expect(await report('application/reports+json', reports)).toEqual(accepted)
  await waitFor(() => recorded('four.evil.example').length > 0)
  expect(recorded('three.evil.example')).toEqual([])
})

test('records at most 10 violations of an address', async () => {
  const reports = Array.from({ length: 30 }, (_, at) => newer(newId('cs'), `https://${at}.address.example/`))
  expect(await report('application/reports+json', reports, '198.51.100.7')).toEqual(accepted)
  await waitFor(() => recorded('.address.example').length >= 10)
  expect(recorded('.address.example')).toHaveLength(10)
})

test('records a violation on the page of an open session, whatever strangers have sent', async () => {
  const flood = Array.from({ length: 90 }, (_, at) => newer(newId('cs'), `https://${at}.flood.example/`))
  expect(await report('application/reports+json', flood)).toEqual(accepted)
  const order = { amount_total: 25_000, return_url: 'https://shop.mx' }
  const [open, cancelled] = [
    await call(merchant, 'POST', '/checkout/v1/sessions', order),
    await call(merchant, 'POST', '/checkout/v1/sessions', order),
  ]
  expect((await call(merchant, 'POST', `/checkout/v1/sessions/${cancelled.body.id}/cancel`)).status).toBe(200)
  const real = [newer(cancelled.body.id, 'https://closed.example/'), newer(open.body.id, 'https://skimmer.example/')]
  expect(await report('application/reports+json', real)).toEqual(accepted)
  await waitFor(() => recorded('skimmer.example').length > 0)
  expect(recorded('closed.example')).toEqual([])
  expect(service.tap.names().filter(name => name === 'hosted_page.csp_violated')).toHaveLength(51)
})

test.each([
  ['application/json', '[]', 415],
  ['application/csp-report', `{"${card}"`, 400],
  ['application/reports+json', `"${card}"`, 400],
  ['application/reports+json', 'x'.repeat(64 * 1024 + 1), 413],
])('rejects a body of the type %s that is no report, without repeating it', async (type, body, status) => {
  const answer = await report(type, body)
  expect(answer.status).toBe(status)
  expect(answer.text).not.toMatch(/4242|xxx/)
})

test('serves the page and its assets as built, with the security headers of https', async () => {
  const headers = await service.headers(payer)
  const sha384 = (bytes: ArrayBuffer) => `sha384-${createHash('sha384').update(new Uint8Array(bytes)).digest('base64')}`
  for (const { path, integrity, type } of readPageInventory().files) {
    const isPage = type === 'page'
    const response = await fetch(`${service.url}${isPage ? '/checkout/none' : `/hosted/${path}`}`, { headers })
    expect([path, response.status]).toEqual([path, isPage ? 404 : 200])
    expect([path, sha384(await response.arrayBuffer())]).toEqual([path, integrity])
    if (type === 'script') expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    if (!isPage) continue
    for (const [name, value] of Object.entries(pageSecurityHeaders({ secure: true })))
      expect([name, response.headers.get(name)]).toEqual([name, value])
  }
})

test('serves no file outside of the inventory', async () => {
  const headers = await service.headers(payer)
  for (const name of ['inventory.json', 'none.js', '..%2finventory.json', '..%2findex.html'])
    expect([name, (await fetch(`${service.url}/hosted/assets/${name}`, { headers })).status]).toEqual([name, 404])
})
