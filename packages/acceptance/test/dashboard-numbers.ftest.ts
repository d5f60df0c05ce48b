import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { waitFor } from '@cobro/testing'
import type { Browser, Locator, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, apiClient, clientsOf } from '../src/api-client.ts'
import { cardPayment, inDashboard, logIn } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

const [approvedCard, poorCard, disputedCard] = ['4242424242424242', '4000000000009995', '4000000000000259']

let stack: AcceptanceStack['stack']
let merchant: ApiClient
let browser: Browser
beforeAll(async () => {
  ;({ stack } = await sharedStack())
  ;({ merchant } = await clientsOf(stack))
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** How many links of each panel have numbers, or bars with a height. */
const leastLinks = {
  ...{ Payments: 9, 'Approval rate': 1, 'Declines by reason': 1, 'Refunds and chargebacks': 6, Webhooks: 11 },
  ...{ 'From session to payment': 4, 'From link to payment': 4 },
}

async function create(path: string, body: object) {
  const answer = await merchant.call('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body.error}`)
  return answer.body.data
}

/** Gives the merchant something for each number of home but of the period before, and waits until none of them changes. */
async function fillHome(receivers: readonly { url: string }[]): Promise<void> {
  for (const { url } of receivers)
    await create('/api/webhooks', { url, events: ['payment.approved', 'payment.declined'] })
  const opened = async (path: string) => apiClient(stack.base_url).call('GET', path)
  const pay = (order: string, card: string) => cardPayment(stack, merchant, order, card)
  await pay('numbers-1', approvedCard)
  await pay('numbers-2', poorCard)
  const refunded = await pay('numbers-3', approvedCard)
  const disputed = await pay('numbers-4', disputedCard)
  await merchant.call('POST', `/api/transactions/${refunded.id}/refund`)
  for (const amount of ['10.00', '20.00']) {
    const { id } = await create('/checkout/v1/links', { amount, concepto: 'numbers' })
    if (amount === '10.00') await opened(`/hosted/v1/links/${id}`)
  }
  const read = async (path: string) => (await merchant.call('GET', path)).body
  await waitFor(async () => {
    const states = [refunded, disputed].map(async ({ id }) => (await read(`/api/transactions/${id}`)).data.status)
    return (await Promise.all(states)).join() === 'refunded,chargeback'
  })
  // Each event goes to both, and waits for one of them.
  await waitFor(async () => {
    const [{ count: all }, { count: sent }, { count: waiting }] = await Promise.all([
      read('/api/webhook-deliveries'),
      read('/api/webhook-deliveries?status=succeeded'),
      read('/api/webhook-deliveries?status=pending'),
    ])
    const { data } = await read('/api/reports/webhooks')
    return sent > 0 && sent === waiting && sent + waiting === all && data.totals.failed > 0
  })
}

interface Shown {
  /** What a link says: that of a bar is what the table says of it. */
  text: string
  panel: string
  /** Whether it is no bar, or the table has the same link. */
  isInTable: boolean
}

const shownBy = (link: Locator) =>
  link.evaluate(async (one: any): Promise<Shown> => {
    const bar = one.closest('[title]')
    const chart = one.closest('[class*=chart]')
    const rows = () => chart.querySelectorAll('tbody tr')
    // The table is there once it is open.
    if (bar) chart.querySelector('details').open = true
    while (bar && rows().length === 0) await new Promise(resolve => setTimeout(resolve, 10))
    const row = bar && rows()[Array.from(bar.parentElement.children).indexOf(bar)]
    const cell = row && Array.from<any>(row.querySelectorAll('td a')).find(({ href }) => href === one.href)
    const said = cell ?? one.querySelector('[class*=value]') ?? one
    return { text: said.textContent, panel: one.closest('section').ariaLabel, isInTable: !bar || cell !== undefined }
  })

/** What the list has that a link has led to. */
interface Listed {
  count: number
  cents: number
  /** The share that is not declined. */
  rate: number
}

async function readList(page: Page): Promise<Listed> {
  const main = page.locator('main')
  const footer = main.getByText(/^\d+–\d+ of [\d,]+$/)
  const nothing = main.getByText('Nothing matches the filters.')
  await footer.or(nothing).first().waitFor()
  if (await nothing.isVisible()) return { count: 0, cents: 0, rate: 0 }
  const texts = (title: string) => main.locator(`td[data-title=${title}]`).allTextContents()
  const amounts = (await texts('Amount')).map(text => Math.round(100 * Number(text.replace(/[^\d.]/g, ''))))
  const statuses = await texts('Status')
  return {
    count: Number((await footer.textContent())?.split(' of ')[1]?.replace(',', '')),
    cents: amounts.reduce((sum, cents) => sum + cents, 0),
    rate: statuses.filter(status => status !== 'Declined').length / statuses.length,
  }
}

/** Returns what a list must have for a link that says this. */
function expectedOf({ text, panel }: Shown): object {
  const value = text.replace(/^(Period before|Before, by \d\d:\d\d): /, '')
  if (value === '–' || value === '0') return { count: 0 }
  // Requests count when they were sent and captures when they happened, but the lists are by when their rows were created.
  if (panel === 'Webhooks') return { hasRows: true, address: expect.stringMatching(/\/deliveries\b/) }
  if (panel === 'Approval rate')
    return { hasRows: true, address: expect.stringMatching(/\/payments\?(?=.*payment_method=card)(?=.*from=)/) }
  if (value.endsWith('%')) return { rate: expect.closeTo(Number(value.slice(0, -1)) / 100, 3) }
  if (value.endsWith(' MXN')) return { cents: Math.round(100 * Number(value.replace(/[^\d.]/g, ''))) }
  return { count: Number(value) }
}

test('every number, bar and entry of home leads to the rows that it counts', async () => {
  const receivers = [await startReceiver(), await startReceiver(() => 500)]
  try {
    await fillHome(receivers)
    await inDashboard({ browser, stack }, async open => {
      const page = await open(`/${stack.merchant_id}`)
      await logIn(page, stack.client)
      const links = page.locator('main section[aria-busy] a')
      await page.getByRole('region', { name: 'Webhooks' }).locator('[class*=chart]').waitFor()
      await page.getByRole('region', { name: 'Declines by reason' }).locator('[class*=chart]').waitFor()
      await page.getByRole('region', { name: 'From link to payment' }).locator('[class*=chart]').waitFor()
      const all = await links.count()
      const followed: Record<string, number> = {}
      for (let at = 0; at < all; at++) {
        const link = links.nth(at)
        // Bars without height, and tables that are closed.
        if (!(await link.isVisible())) continue
        const shown = await shownBy(link)
        await link.click()
        const listed = await readList(page)
        const said = { ...shown, address: page.url(), ...listed, hasRows: listed.count > 0 }
        expect(said).toEqual({ ...said, ...expectedOf(shown), isInTable: true })
        followed[shown.panel] = (followed[shown.panel] ?? 0) + 1
        await page.goBack()
        await links.nth(all - 1).waitFor({ state: 'attached' })
      }
      // More if the hour changes meanwhile.
      const missed = Object.entries(leastLinks).filter(([panel, least]) => (followed[panel] ?? 0) < least)
      expect(missed).toEqual([])
    })
  } finally {
    for (const { stop } of receivers) await stop()
  }
})
