import { type AdminWorld, adminWorld } from './admin-calls.ts'
import { send } from './gateway-world.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await adminWorld()
})
afterAll(() => world.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${world.url}${path}`, { headers })
const nonceOf = (text: string, before: string) => text.split(before)[1]?.split(/["']/)[0]

test.each(['/dashboard', '/dashboard/', '/dashboard/mrc_1/payments', '/dashboard/all/payments/txn_1?status=declined'])(
  'the page of %s is that of the dashboard, and is not kept',
  async path => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).toContain('<div id="app"></div>')
  },
)

test('the policy of the page allows its own scripts alone, and styles with a nonce of this answer', async () => {
  const answers = await Promise.all([get('/dashboard'), get('/dashboard')])
  const nonces = await Promise.all(
    answers.map(async answer => {
      const policy = answer.headers.get('content-security-policy') ?? ''
      const nonce = nonceOf(await answer.text(), 'property="csp-nonce" nonce="')
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ])
      return nonce
    }),
  )
  expect(nonces[0]).toMatch(/^[\w+/]{22}==$/)
  expect(nonces[0]).not.toBe(nonces[1])
})

test('the preview of a payment link may call nothing, and only this origin shows it in a frame', async () => {
  const answer = await get('/dashboard/preview')
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(answer.headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ])
  const files = [...(await answer.text()).matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)]
  expect(files.length).toBeGreaterThan(1)
  for (const [, file = ''] of files) expect([file, (await get(file)).status]).toEqual([file, 200])
})

test('the files of the page are compressed, named after their content and kept for good', async () => {
  const page = await (await get('/dashboard')).text()
  const files = [...page.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) {
    const answer = await get(file, { 'accept-encoding': 'gzip' })
    expect([file, answer.status, answer.headers.get('cache-control')]).toEqual([
      file,
      200,
      'public, max-age=31536000, immutable',
    ])
    const etag = answer.headers.get('etag') ?? ''
    expect((await get(file, { 'if-none-match': etag })).status).toBe(304)
    await answer.arrayBuffer()
  }
})

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['identity', null],
])('to a browser that accepts %s, a script goes with the encoding %s', async (accepted, encoding) => {
  const page = await (await get('/dashboard')).text()
  const [, script = ''] = /src="([^"]*\/index-[^"]+\.js)"/.exec(page) ?? []
  const answer = await get(script, { 'accept-encoding': accepted })
  expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([encoding, 'Accept-Encoding'])
  // The client decodes it.
  expect(await answer.text()).toContain('/api/auth/browser/')
})

test.each([
  '/dashboard/assets/none.js',
  '/dashboard/assets/..%2Findex.html',
  '/dashboard/assets/%2e%2e%2f%2e%2e%2fpackage.json',
  '/dashboard/assets/index.html',
])('%s is no file of the dashboard', async path => {
  expect((await send(world.url, path)).status).toBe(404)
})

test('the dashboard only answers GET', async () => {
  const answer = await send(world.url, '/dashboard/mrc_1/payments', { body: {} })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
})
