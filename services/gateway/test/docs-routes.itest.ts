import { type GatewayWorld, gatewayUnderTest } from './gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())

const get = (path: string) => fetch(`${world.url}${path}`)

test("serves the API description to every caller with this deployment's URL", async () => {
  const answer = await get('/openapi.json')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const description = (await answer.json()) as { openapi: string; servers: unknown[]; paths: Record<string, unknown> }
  expect([description.openapi, description.servers]).toEqual(['3.1.1', [{ url: 'https://api.cobro.test' }]])
  expect(Object.keys(description.paths)).toContain('/checkout/v1/sessions')
})

test('serves the API reference with files of its own and a policy that allows no other scripts', async () => {
  const answer = await get('/docs')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self';")
  expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:/)
  const html = await answer.text()
  expect(html).not.toMatch(/https?:\/\//)
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '')
  expect(files).toHaveLength(5)
  for (const file of files) {
    const answer = await get(file)
    expect([file, answer.status]).toEqual([file, 200])
    expect(answer.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|image\/png)/)
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100)
  }
})

test.each(['/docs/', '/docs/index.html', '/docs/..%2fpackage.json', '/docs/package.json', '/openapi.yaml'])(
  'returns 404 for %s, which is no page of the API reference',
  async path => {
    expect((await get(path)).status).toBe(404)
  },
)
