import { type GatewayWorld, gatewayUnderTest } from './gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${world.url}${path}`, { headers })

/** The scripts, styles and images that a page loads. */
const filesOf = (html: string) =>
  [...html.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '')

test("serves the API description to every caller with this deployment's URL", async () => {
  const answer = await get('/openapi.json')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const description = (await answer.json()) as { openapi: string; servers: unknown[]; paths: Record<string, unknown> }
  expect([description.openapi, description.servers]).toEqual(['3.1.1', [{ url: 'https://api.cobro.test' }]])
  expect(Object.keys(description.paths)).toContain('/checkout/v1/sessions')
})

test.each(['/docs', '/docs/quickstart', '/docs/guides/webhooks', '/docs/api/transactions'])(
  'serves %s with files of its own and a policy that allows no other scripts and no inline styles',
  async path => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toMatch(/unsafe|https?:/)
    const html = await answer.text()
    expect(html).not.toMatch(/ style="/)
    const files = filesOf(html)
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) {
      const { status, headers } = await get(file)
      expect([file, status]).toEqual([file, 200])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('content-type')).toMatch(/^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)/)
    }
  },
)

test('serves the pictures of the dashboard in light and dark as they are, to keep for good', async () => {
  const answer = await get('/docs/guides/dashboard')
  expect(answer.headers.get('content-security-policy')).toContain("img-src 'self'")
  const html = await answer.text()
  const files = [...html.matchAll(/(?:src|srcset|href)="(\/docs\/assets\/[^"]+\.png)"/g)].map(([, file]) =>
    String(file),
  )
  const pictures = [...new Set(files)]
  expect(pictures.some(file => file.includes('-dark-'))).toBe(true)
  for (const file of pictures) {
    const picture = await get(file)
    expect([file, picture.status, picture.headers.get('content-type')]).toEqual([file, 200, 'image/png'])
    expect(picture.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(picture.headers.get('content-encoding')).toBeNull()
    const bytes = Buffer.from(await picture.arrayBuffer())
    // The first bytes of every PNG file.
    expect(bytes.toString('latin1', 1, 4)).toBe('PNG')
  }
  const markdown = await (await get('/docs/guides/dashboard.md')).text()
  for (const [, address] of markdown.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)) expect(pictures).toContain(address)
})

test("pages name this deployment's address", async () => {
  const html = await (await get('/docs/quickstart')).text()
  expect(html).toContain('https://api.cobro.test')
  expect(html).not.toContain('pay.example.com')
  expect(await (await get('/docs/quickstart.md')).text()).toContain('https://api.cobro.test')
})

test('Swagger UI stays as the console, and only its page may set inline styles', async () => {
  const answer = await get('/docs/api/try')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self' 'unsafe-inline'")
  for (const file of filesOf(await answer.text())) expect([file, (await get(file)).status]).toEqual([file, 200])
})

test('a page that has not changed is not sent once more', async () => {
  const { headers } = await get('/docs')
  const etag = headers.get('etag') ?? ''
  expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
  for (const known of [etag, etag.slice(2), `"another", ${etag}`]) {
    const unchanged = await get('/docs', { 'if-none-match': known })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
  }
  expect((await get('/docs', { 'if-none-match': '"another"' })).status).toBe(200)
})

test('pages are compressed for those who accept that, and equal for all others', async () => {
  const compressed = await get('/docs')
  expect(compressed.headers.get('content-encoding')).toBe('gzip')
  const plain = await get('/docs', { 'accept-encoding': 'identity' })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(await plain.text()).toBe(await compressed.text())
})

test.each(['cobro-sdk.tgz', 'cobro-cli.tgz'])('serves the package %s', async name => {
  const answer = await get(`/docs/downloads/${name}`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip'])
  const bytes = Buffer.from(await answer.arrayBuffer())
  // The first bytes of every gzip file.
  expect(bytes.subarray(0, 2).toString('hex')).toBe('1f8b')
})

test.each(['/docs/index.html', '/docs/..%2fpackage.json', '/docs/toString', '/docs/api/no-page', '/openapi.yaml'])(
  'returns 404 for %s, which is no page of the documentation',
  async path => {
    expect((await get(path)).status).toBe(404)
  },
)

test('an address with a slash at its end leads to the documentation', async () => {
  const answer = await fetch(`${world.url}/docs/`, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([308, '/docs'])
})

test('a browser gets a page that leads back to the documentation', async () => {
  const answer = await get('/docs/no-page', { accept: 'text/html,*/*;q=0.8' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await answer.text()).toContain('This page does not exist')
})
