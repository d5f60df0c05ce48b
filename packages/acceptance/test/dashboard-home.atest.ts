import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { payByCard } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { Browser, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { inDashboard, logIn, rowOf } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack['stack']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  ;({ stack } = await sharedStack())
  clients = await clientsOf(stack)
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const [approvedCard, poorCard] = ['4242424242424242', '4000000000009995']

async function pay(external_id: string, card = approvedCard): Promise<void> {
  const order = { amount_total: 25_000, external_id, success_url: 'https://shop.test/ok' }
  const { body } = await clients.merchant.call('POST', '/checkout/v1/sessions', order)
  await payByCard(stack.hosted_url, body.id, card)
}

/** The number of a panel that stands under a name. */
const headline = (page: Page, panel: string, name: string) =>
  page.getByRole('region', { name: panel }).locator('dl > div').filter({ hasText: name }).getByRole('link').first()

test('the home screen shows today, and every number leads to the rows behind it', async () => {
  await pay('home-1')
  await pay('home-2', poorCard)
  await inDashboard({ browser, stack }, async open => {
    const page = await open(`/${stack.merchant_id}`)
    await logIn(page, stack.client)
    await page.getByRole('region', { name: 'Payments' }).locator('dl').waitFor()
    await page.getByRole('link', { name: 'Insufficient funds' }).waitFor()
    for (const name of ['From session to payment', 'Webhooks', 'Refunds and chargebacks'])
      await page.getByRole('region', { name }).locator('ul, details, p').first().waitFor()
    expect(await wcagFaults(page)).toEqual([])
    expect(Number(await headline(page, 'Payments', 'Captured payments').textContent())).toBeGreaterThan(0)

    await headline(page, 'Refunds and chargebacks', 'Chargebacks').click()
    await page.getByText('Nothing matches the filters.').waitFor()
    const { searchParams } = new URL(page.url())
    // A payment from before the period counts if it was disputed in it.
    expect([...searchParams.keys()]).toEqual(['time', 'currency', 'from', 'to'])
    expect(searchParams.get('time')).toBe('disputed_at')
    await page.goBack()
    await page.getByRole('link', { name: 'Insufficient funds' }).click()
    await rowOf(page, 'home-2').waitFor()
    expect(await rowOf(page, 'home-1').count()).toBe(0)
    await page.goBack()
    await page.getByRole('link', { name: '7 days' }).click()
    await waitFor(async () => new URL(page.url()).search === '?period=week')
    await headline(page, 'Payments', 'Captured payments').click()
    await rowOf(page, 'home-1').waitFor()
    expect(await rowOf(page, 'home-2').count()).toBe(0)
  })
})

test('a list says that it has changed while it is looked at, in every tab of the browser', async () => {
  await inDashboard({ browser, stack }, async open => {
    const path = `/${stack.merchant_id}/payments?search=home-3`
    const page = await open(path)
    await logIn(page, stack.client)
    await page.getByText('Nothing matches the filters.').waitFor()
    const other = await open(path)
    await other.getByText('Nothing matches the filters.').waitFor()
    // The page follows from the newest event on, so that one before that says nothing.
    const button = page.getByRole('button', { name: 'The list may have changed: refresh' })
    let paid = 0
    await waitFor(async () => {
      await pay(`home-3-${++paid}`)
      return button.isVisible()
    })
    await button.click()
    await rowOf(page, 'home-3-1').waitFor()
    await other.getByRole('button', { name: 'The list may have changed: refresh' }).click()
    await rowOf(other, 'home-3-1').waitFor()
  })
})

test('a phone shows the home screen without scrolling sideways', async () => {
  await inDashboard(
    { browser, stack },
    async open => {
      const page = await open(`/${stack.merchant_id}?period=month`)
      await logIn(page, stack.client)
      await page.getByRole('region', { name: 'Payments' }).locator('details').waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await page.getByText('As a table').first().click()
      expect(await wcagFaults(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    },
    { viewport: { width: 360, height: 740 } },
  )
})
