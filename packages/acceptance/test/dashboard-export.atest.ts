import { readFile } from 'node:fs/promises'
import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import type { Browser, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { inDashboard, logIn } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'

/** More than a page of the list, and one that does not match. */
const matching = 60
const filters = '?search=to-export&status=approved'
let stack: AcceptanceStack['stack']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  ;({ stack } = await sharedStack())
  clients = await clientsOf(stack)
  browser = await openBrowser()
  for (let n = 0; n <= matching; n++) {
    const payment = {
      ...{ rail: 'online_cnp', payment_method: 'card', amount_cents: 10_005 + n, reference: `=to-export-${n}` },
      ...{ card: { brand: 'visa', last4: '0042' }, status: n < matching ? 'approved' : 'pending' },
    }
    const headers = { 'x-merchant-id': stack.merchant_id }
    expect((await clients.operator.call('POST', '/api/transactions', payment, headers)).status).toBe(201)
  }
})
afterAll(() => browser?.close())

const open = (work: (page: Page) => Promise<void>) =>
  inDashboard({ browser, stack }, async openPage => {
    const page = await openPage(`/${stack.merchant_id}/payments${filters}`)
    await logIn(page, stack.client)
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByText(`${matching} payments match the filters.`).waitFor()
    await work(page)
  })
const exportCsv = (page: Page) => page.getByRole('button', { name: 'Export CSV' })

test('an export of the list saves all payments that match its filters, as the API has them', async () => {
  await open(async page => {
    expect(await wcagFaults(page)).toEqual([])
    const [download] = await Promise.all([page.waitForEvent('download'), exportCsv(page).click()])
    expect(download.suggestedFilename()).toMatch(/^payments-\d{4}-\d\d-\d\d\.csv$/)
    const [header = '', ...lines] = (await readFile(await download.path(), 'utf8')).split('\r\n').slice(0, -1)
    expect(header).toMatch(/^\uFEFFid,created_at,/)
    const names = header.slice(1).split(',')
    const saved = lines.map(line => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])))
    const { body } = await clients.client.call('GET', `/api/transactions${filters}&limit=200`)
    expect(saved).toMatchObject(
      body.data.map((row: any) => ({
        ...{ id: row.id, status: 'approved', amount: (row.amount_cents / 100).toFixed(2), currency: row.currency },
        ...{ reference: `'${row.reference}`, card_brand: 'visa', card_last4: '0042', merchant_id: stack.merchant_id },
        // Of the merchant's zone, which has no summer time.
        created_at: expect.stringMatching(/-06:00$/),
      })),
    )
    expect(saved.map(({ created_at }) => new Date(created_at!).toISOString())).toEqual(
      body.data.map((row: any) => row.created_at),
    )
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})

test('an export is cancelled while it runs, and one that fails says so', async () => {
  await open(async page => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    // Never answered.
    await page.route('**/api/transactions/export?*', () => ask())
    await exportCsv(page).click()
    await asked
    await page.getByText('The file is being made…').waitFor()
    await Promise.all([page.waitForEvent('requestfailed'), page.getByRole('button', { name: 'Cancel' }).click()])
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.unroute('**/api/transactions/export?*')

    await page.route('**/api/transactions/export?*', route =>
      route.fulfill({ status: 403, contentType: 'application/json', body: '{"error":"forbidden: not any more"}' }),
    )
    await page.getByRole('button', { name: 'Export' }).click()
    await exportCsv(page).click()
    await page.getByText('The export failed, and no file was saved. forbidden not any more').waitFor()
    expect(await wcagFaults(page)).toEqual([])
    expect(await exportCsv(page).isEnabled()).toBe(true)
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })
})
