import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { waitFor } from '@cobro/testing'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, clientsOf } from '../src/api-client.ts'
import { cardPayment, inDashboard, logIn, rowOf } from '../src/dashboard-browser.ts'
import { type Noted, paintedAfter, slowPage } from '../src/page-notes.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

/** Only a machine that does nothing else says something about times. */
const timed = process.env.COBRO_TEST_LONG === '1' ? test : test.skip
/** Medians of this many, since a machine that others use is slow now and then. */
const rounds = 5
const approvedCard = '4242424242424242'
const declinedCard = '4000000000009995'

let stack: AcceptanceStack
let browser: Browser
let home: string
let merchant: ApiClient
let mended: Awaited<ReturnType<typeof startReceiver>>
let broken: typeof mended
beforeAll(async () => {
  stack = await acceptanceStack()
  home = `${stack.stack.base_url}/dashboard/${stack.stack.merchant_id}`
  ;({ merchant } = await clientsOf(stack.stack))
  ;[mended, broken] = await Promise.all([startReceiver(), startReceiver(() => 500)])
  await merchant.call('POST', '/api/webhooks', { url: mended.url, events: ['payment.approved'] })
  for (let number = 0; number <= rounds; number++)
    await cardPayment(stack.stack, merchant, `speed-${number}`, number === rounds ? declinedCard : approvedCard)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await stack?.stop()
  await mended?.stop()
  await broken?.stop()
})

/** A slow page in a browser of its own, in whose console nothing may be written. */
const onSlowPage = (work: (page: Page, noted: Noted) => Promise<void>, options: BrowserContextOptions = {}) =>
  inDashboard(
    { stack: stack.stack, browser },
    async (_open, context) => {
      const { page, noted } = await slowPage(context)
      await work(page, noted)
    },
    options,
  )

/** Runs work in as many new browsers as there are rounds. Returns the median of each time, and the largest shift. */
async function medians(work: (page: Page, noted: Noted, round: number) => Promise<void>): Promise<Noted> {
  const all: Noted[] = []
  for (let round = 0; round < rounds; round++) {
    await onSlowPage(async (page, noted) => {
      await work(page, noted, round)
      // The browser notes an interaction a moment after it.
      await page.waitForTimeout(1_000)
      all.push({ ...noted })
    })
  }
  const median = (name: keyof Noted) => medianOf(all.map(noted => noted[name]))
  return {
    largestPaintMs: median('largestPaintMs'),
    shift: Math.max(...all.map(({ shift }) => shift)),
    longestTaskMs: median('longestTaskMs'),
    slowestInteractionMs: median('slowestInteractionMs'),
  }
}

const medianOf = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

/** Nothing moves by itself, and nothing holds the page up for long. */
function expectSmooth({ shift, longestTaskMs }: Noted): void {
  expect(shift).toBe(0)
  expect(longestTaskMs).toBeLessThanOrEqual(200)
}

const isHome = (page: Page) => page.getByRole('region', { name: 'Payments' }).locator('details').waitFor()

timed('the login is painted within 2.5 s on a slow phone, and nothing moves', async () => {
  const noted = await medians(async page => {
    await page.goto(home)
    await page.getByLabel('Password').waitFor()
    await page.waitForLoadState('networkidle')
  })
  expect(noted.largestPaintMs).toBeLessThan(2_500)
  expectSmooth(noted)
})

timed('home is painted within 2.5 s cold and 1.2 s warm, and nothing moves', async () => {
  const paints: number[] = []
  const warm = await medians(async (page, noted) => {
    await page.goto(home)
    await logIn(page, stack.stack.client)
    await isHome(page)
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Network.clearBrowserCache')
    await page.reload()
    await isHome(page)
    await page.waitForLoadState('networkidle')
    paints.push(noted.largestPaintMs)
    await page.reload()
    await isHome(page)
    await page.waitForLoadState('networkidle')
  })
  expect(medianOf(paints)).toBeLessThan(2_500)
  expect(warm.largestPaintMs).toBeLessThan(1_200)
  expectSmooth(warm)
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

/** Tasks 1 to 3 and 5: finds a payment, sees what happened to it, refunds it, and looks at the last days. */
async function explainAndRefund(page: Page, round: number): Promise<void> {
  await rowOf(page, `speed-${round}`).waitFor()
  await page.getByLabel('Search').fill('speed')
  await page.keyboard.press('Enter')
  await rowOf(page, `speed-${round}`).getByRole('link').first().click()
  await button(page, 'Refund').click()
  await button(page, 'Refund $250.00 MXN').click()
  await page.getByText('The payment was returned to the payer.').waitFor()
  await button(page, 'Send again').first().click()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByLabel('Find').pressSequentially(`speed-${rounds}`)
  await page.keyboard.press('Enter')
  await page.getByText('The issuer declined the payment').waitFor()
  await link(page, 'Home').click()
  await isHome(page)
  await link(page, '30 days').click()
}

/** Task 4: makes a link. */
async function makeLink(page: Page): Promise<void> {
  await link(page, 'Payment links').click()
  await button(page, 'New link').last().click()
  await page.getByLabel('Amount (MXN)').pressSequentially('250')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Dinner')
  await page.keyboard.press('Enter')
  await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
  await page.keyboard.press('Escape')
}

/** Task 8: sees why webhooks fail, changes the endpoint, and sends again what failed. */
async function resendAll(page: Page, round: number): Promise<void> {
  const url = `${broken.url}?round=${round}`
  const { body } = await merchant.call('POST', '/api/webhooks', { url, events: ['payment.approved'] })
  await cardPayment(stack.stack, merchant, `webhooks-${round}`, approvedCard)
  const failed = `/api/webhook-deliveries?webhook_id=${body.id}&status=exhausted`
  await waitFor(async () => (await merchant.call('GET', failed)).body.data.length === 1)
  await link(page, 'Home').click()
  await page.getByRole('link', { name: /^Webhook deliveries given up in the period/ }).click()
  await rowOf(page, url).getByRole('link').click()
  await button(page, 'Edit webhook').click()
  const address = page.getByRole('dialog').getByLabel('Address')
  await address.press('Control+a')
  await address.pressSequentially(mended.url)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await button(page, 'Resend all').click()
  await page.getByRole('button', { name: /^Resend \d/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Your server received it.').waitFor()
  await merchant.call('DELETE', `/api/webhooks/${body.id}`)
}

/** Task 9: creates an API key, rotates and revokes it. */
async function replaceKey(page: Page, round: number): Promise<void> {
  const name = `speed ${round}`
  const stored = button(page, 'I have stored it')
  await link(page, 'API keys').click()
  await button(page, 'New key').click()
  await page.getByLabel('Name').pressSequentially(name)
  await page.keyboard.press('Enter')
  await stored.click()
  await rowOf(page, name).getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await stored.click()
  await rowOf(page, name).nth(1).waitFor()
  await rowOf(page, name).first().getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await rowOf(page, name).getByText('Revoked').waitFor()
}

timed(
  'every step of a task answers within 200 ms on a slow phone',
  async () => {
    const noted = await medians(async (page, _noted, round) => {
      await page.goto(`${home}/payments`)
      await logIn(page, stack.stack.client)
      await explainAndRefund(page, round)
      await makeLink(page)
      await resendAll(page, round)
      await replaceKey(page, round)
    })
    expect(noted.slowestInteractionMs).toBeLessThanOrEqual(200)
    expect(noted.longestTaskMs).toBeLessThanOrEqual(200)
    // A new row moves those below it, and on such a network it comes too late to count as expected.
    expect(noted.shift).toBeLessThan(0.1)
  },
  600_000,
)

/** The addresses of all screens below the merchant. */
async function screenPaths(): Promise<string[]> {
  const first = async (path: string) => (await merchant.call('GET', path)).body.data[0]
  const create = async (path: string, body: object) => (await merchant.call('POST', path, body)).body.data
  const payment = await first('/api/transactions?order_id=speed-0')
  const delivery = await first('/api/webhook-deliveries?limit=1')
  const session = await first('/api/checkout-sessions?limit=1')
  const link = await create('/checkout/v1/links', { amount: '250.00', concepto: 'Dinner' })
  const branch = await create('/api/sucursales', { name: 'Downtown' })
  await create('/api/terminales', { name: 'Till 1', serial: 'T-1042', sucursal_id: branch.id })
  const request = await first('/api/requests?limit=1')
  return [
    ...['', 'payments', 'links', 'sessions', 'refunds', 'webhooks', 'deliveries', 'keys', 'requests', 'branches'],
    ...['terminals', 'sandbox', 'account', `payments/${payment.id}`, `deliveries/${delivery.id}`],
    ...[`links/${link.id}`, `sessions/${session.id}`, `branches/${branch.id}`],
    `requests/${request.request_id}`,
  ]
}

timed.each([
  ['a wide screen', {}],
  ['a phone', { viewport: { width: 360, height: 740 }, hasTouch: true }],
])(
  'nothing moves while a screen loads: %s',
  async (_, options: BrowserContextOptions) => {
    const paths = await screenPaths()
    const shifts: Record<string, number> = {}
    await onSlowPage(async (page, noted) => {
      await page.goto(home)
      await logIn(page, stack.stack.client)
      await isHome(page)
      for (const path of paths) {
        noted.shift = 0
        await page.goto(`${home}/${path}`)
        await page.locator('#content h1').waitFor()
        await page.locator('#content [aria-busy=true]').first().waitFor({ state: 'detached' })
        await page.waitForTimeout(1_000)
        if (noted.shift > 0) shifts[path] = noted.shift
      }
    }, options)
    expect(shifts).toEqual({})
  },
  300_000,
)

timed(
  'a screen is there 100 ms after a click, and the rows of a filter 300 ms after the choice, on a slow phone',
  async () => {
    const times: [screen: number, rows: number][] = []
    await onSlowPage(
      async (page, noted) => {
        await page.goto(`${home}/account`)
        await logIn(page, stack.stack.client)
        await link(page, 'Payments').waitFor()
        for (let round = 0; round < rounds; round++) {
          await page.goto(`${home}/account`)
          await link(page, 'Payments').hover()
          await page.waitForTimeout(1_000)
          const screen = await paintedAfter(
            page,
            () => link(page, 'Payments').click(),
            `document.querySelector('#content h1')?.textContent === 'Payments'`,
          )
          await rowOf(page, 'speed-1').waitFor()
          const rowsOfFilter = await paintedAfter(
            page,
            () => page.getByLabel('Status').selectOption('declined'),
            `[...document.querySelectorAll('tbody tr')].every(row => row.textContent.includes('Declined'))`,
          )
          times.push([screen, rowsOfFilter])
        }
        expect(medianOf(times.map(([screen]) => screen))).toBeLessThanOrEqual(100)
        expect(medianOf(times.map(([, rows]) => rows))).toBeLessThanOrEqual(300)
        // Other rows have other widths. That they are chosen is no input of a user, of which they would be the expected result.
        expect(noted.longestTaskMs).toBeLessThanOrEqual(200)
      },
      { bypassCSP: true },
    )
  },
)

timed('a hundred changes of screen leave less than 20 MB behind', () =>
  inDashboard({ stack: stack.stack, browser }, async (open, context) => {
    const page = await open(`/${stack.stack.merchant_id}/payments`)
    await logIn(page, stack.stack.client)
    await rowOf(page, 'speed-1').waitFor()
    const devTools = await context.newCDPSession(page)
    const heldBytes = async () => {
      await devTools.send('HeapProfiler.collectGarbage')
      return (await devTools.send('Runtime.getHeapUsage')).usedSize
    }
    const names = ['Home', 'Payments', 'Payment links', 'Sessions', 'Webhooks']
    const visit = async (name: string) => {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
    }
    for (const name of names) await visit(name)
    const before = await heldBytes()
    for (let change = 0; change < 100; change++) await visit(names[change % names.length] ?? 'Home')
    const grown = (await heldBytes()) - before
    expect(grown).toBeLessThan(20_000_000)
  }),
)
