import { findPages, type SearchEntry, searchIndexOf } from '@cobro/docs/search-index'
import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import type { Browser, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { sharedStack } from '../src/shared-stack.ts'

/** One page of each kind. */
const samples = ['', '/quickstart', '/guides/webhooks', '/reference/events', '/reference/cli', '/api/transactions']
const maxKib = 80
const maxScriptKib = 15
const maxRequests = 8

let stack: AcceptanceStack
let browser: Browser
let page: Page
let origin: string
let paths: string[]
beforeAll(async () => {
  stack = await sharedStack()
  origin = stack.stack.base_url
  const list = await (await fetch(`${origin}/docs/llms.txt`)).text()
  paths = [...list.matchAll(/\]\(\/docs\/(.*?)\.md\)/g)].map(([, path]) => (path === 'index' ? '' : `/${path}`))
  browser = await openBrowser()
})
beforeEach(async () => {
  page = await browser.newPage()
})
afterEach(() => page.close())
afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

const open = (path: string) => page.goto(`${origin}/docs${path}`)

/** Adds up how much of what the next page shows moves while it loads. */
async function watchShifts(): Promise<() => Promise<unknown>> {
  await page.addInitScript(`
    globalThis.shift = 0
    new PerformanceObserver(list => { for (const { value } of list.getEntries()) globalThis.shift += value })
      .observe({ type: 'layout-shift', buffered: true })`)
  return () => page.evaluate('globalThis.shift')
}

test('every page is accessible in light and dark, fits into 320 px, and loads nothing from other hosts', async () => {
  const elsewhere: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(origin)) elsewhere.push(request.url())
  })
  page.on('pageerror', error => elsewhere.push(error.message))
  expect(paths.length).toBeGreaterThan(40)
  await page.setViewportSize({ width: 320, height: 640 })
  for (const path of [...paths, '/no-such-page']) {
    const response = await open(path)
    expect([path, response?.status()]).toEqual([path, path === '/no-such-page' ? 404 : 200])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect([path, colorScheme, await wcagFaults(page)]).toEqual([path, colorScheme, []])
    }
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 320])
  }
  expect(elsewhere).toEqual([])
})

test.each(samples)('/docs%s is accessible on a wide screen', async path => {
  await page.setViewportSize({ width: 1_440, height: 900 })
  await open(path)
  expect(await wcagFaults(page)).toEqual([])
})

test('no page needs more than 80 KiB with all that it loads', async () => {
  const sizes = new Map<string, Promise<number>>()
  const sizeOf = async (address: string) => {
    // The compressed bytes, which fetch would not count.
    const { headers } = await fetch(address, { method: 'HEAD' })
    return Number(headers.get('content-length'))
  }
  for (const path of paths) {
    const html = await (await fetch(`${origin}/docs${path}`)).text()
    const files = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(match => String(match[1]))
    const addresses = [`/docs${path}`, ...new Set(files)]
    for (const address of addresses) if (!sizes.has(address)) sizes.set(address, sizeOf(`${origin}${address}`))
    const bytes = await Promise.all(addresses.map(address => sizes.get(address) ?? 0))
    const sum = bytes.reduce((total, size) => total + size, 0)
    expect([path, sum > 1_000, sum < maxKib * 1_024]).toEqual([path, true, true])
  }
})

test.each(samples)('/docs%s is small, and nothing moves while it loads', async path => {
  const bodies: [type: string, bytes: number][] = []
  page.on('requestfinished', async request => {
    const { responseBodySize } = await request.sizes()
    bodies.push([request.resourceType(), responseBodySize])
  })
  const shifts = await watchShifts()
  await open(path)
  await page.waitForLoadState('networkidle')
  expect(await shifts()).toBe(0)
  expect(bodies.length).toBeLessThanOrEqual(maxRequests)
  const kib = (chosen: typeof bodies) => chosen.reduce((sum, [, bytes]) => sum + bytes, 0) / 1_024
  expect(kib(bodies)).toBeLessThan(maxKib)
  expect(kib(bodies.filter(([type]) => type === 'script'))).toBeLessThan(maxScriptKib)
})

test.each([
  { colorScheme: 'light', other: '-dark-' },
  { colorScheme: 'dark', other: '-light-' },
] as const)(
  'pictures of the dashboard fit the $colorScheme theme, load when they are near, and move nothing',
  async look => {
    const loaded = new Set<string>()
    page.on('requestfinished', request => {
      if (request.resourceType() === 'image' && request.url().endsWith('.png')) loaded.add(request.url())
    })
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await page.setViewportSize({ width: 1_440, height: 900 })
    const shifts = await watchShifts()
    await open('/guides/dashboard')
    await page.waitForLoadState('networkidle')
    const pictures = await page.locator('article img').all()
    expect(loaded.size).toBeLessThan(pictures.length)
    for (const picture of pictures) {
      await picture.scrollIntoViewIfNeeded()
      await picture.evaluate((image: HTMLImageElement) => image.decode())
    }
    expect(loaded.size).toBe(pictures.length)
    expect([...loaded].filter(address => address.includes(look.other))).toEqual([])
    expect(await shifts()).toBe(0)
  },
)

test('the search is used by keyboard alone', async () => {
  await open('')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('refund')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/guides\/refunds/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('refund')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('listbox').waitFor({ state: 'hidden' })
})

test('tabs are chosen by keyboard, for every step of the page, and work without a script', async () => {
  const withoutScript = await browser.newPage({ javaScriptEnabled: false })
  await withoutScript.goto(`${origin}/docs/guides/accept-a-payment`)
  await withoutScript.getByText('TypeScript', { exact: true }).first().click()
  expect(await withoutScript.getByText('cobro.checkout.sessions.create').first().isVisible()).toBe(true)
  await withoutScript.close()
  await open('/guides/accept-a-payment')
  const tabs = page.getByRole('radio', { name: 'TypeScript' })
  await page.getByRole('radio', { name: 'curl' }).first().focus()
  await page.keyboard.press('ArrowRight')
  for (const tab of await tabs.all()) expect(await tab.isChecked()).toBe(true)
})

test('the console shows the operations without a call to another host', async () => {
  const elsewhere: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(origin)) elsewhere.push(request.url())
  })
  await open('/api/try')
  await page.locator('.opblock').first().waitFor()
  expect(elsewhere).toEqual([])
})

test.each([
  ['webhook signature', '/docs/guides/webhooks'],
  ['verify a webhook in python', '/docs/guides/webhooks'],
  ['whsec', '/docs/guides/webhooks'],
  ['test cards', '/docs/guides/testing'],
  ['4000000000009995', '/docs/reference/errors'],
  ['insufficient_funds', '/docs/reference/errors'],
  ['idempotency key', '/docs/guides/idempotency'],
  ['Idempotency-Key', '/docs/guides/idempotency'],
  ['refund', '/docs/guides/refunds'],
  ['refunds', '/docs/guides/refunds'],
  ['chargeback', '/docs/guides/refunds'],
  ['dispute', '/docs/guides/refunds'],
  ['payment link', '/docs/guides/payment-links'],
  ['cash voucher', '/docs/guides/cash'],
  ['api key', '/docs/keys'],
  ['scopes', '/docs/keys'],
  ['rate limit', '/docs/guides/errors'],
  ['retry', '/docs/guides/errors'],
  ['rate_limited', '/docs/reference/errors'],
  ['missed events', '/docs/guides/event-feed'],
  ['sequence gap', '/docs/guides/event-feed'],
  ['payment.approved', '/docs/reference/events'],
  ['payment_link.paid', '/docs/reference/events'],
  ['settlement', '/docs/api/settlements'],
  ['compare settlements', '/docs/guides/reconciliation'],
  ['reconcile', '/docs/guides/reconciliation'],
  ['go live', '/docs/guides/go-live'],
  ['production', '/docs/guides/go-live'],
  ['cobro listen', '/docs/reference/cli'],
  ['cobro trigger', '/docs/reference/cli'],
  ['create a checkout session', '/docs/api/hosted-checkout'],
  ['terminales', '/docs/api/terminales'],
  ['webhokos', '/docs/guides/webhooks'],
  ['quick start', '/docs/quickstart'],
  ['dashboard', '/docs/guides/dashboard'],
  ['saved view', '/docs/guides/dashboard'],
])('the search for “%s” has %s among its first three pages', async (query, expected) => {
  const html = await (await fetch(`${origin}/docs`)).text()
  const address = /data-search-index="([^"]+)"/.exec(html)?.[1] ?? ''
  const entries = (await (await fetch(`${origin}${address}`)).json()) as SearchEntry[]
  const found = findPages(searchIndexOf(entries), query).map(({ url }) => url.split('#')[0])
  expect(found.slice(0, 3)).toContain(expected)
})
