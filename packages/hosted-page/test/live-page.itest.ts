import type { HostedPayable } from '@cobro/contracts'
import { linkPayable, payable, sampleVoucher } from './payables.ts'
import { openTab, screen, stopClock } from './payer-browser.ts'
import { browser, ownServerAndBrowser, server } from './payer-world.ts'

ownServerAndBrowser()

interface Opening {
  readonly streamStatus?: number | 'closed' | 'silent'
  /** The page's timers run only when the test advances its clock. */
  readonly stopped?: true
}

async function open(offered: HostedPayable, { streamStatus = 200, stopped }: Opening = {}) {
  const offer = server.offer(offered)
  offer.streamStatus = streamStatus
  const tab = await openTab(browser, server.origin)
  if (stopped) await stopClock(tab.page)
  await tab.page.goto(offer.url)
  await screen(tab.page, 'form')
  return { ...tab, offer }
}

const voucherOut = payable({
  payment_method_types: ['card', 'cash'],
  voucher: sampleVoucher,
  had_voucher: true,
  expires_at: Date.parse(sampleVoucher.due_at),
})
const completed = { status: 'completed', transaction_status: 'Approved' } as const
const expired = { status: 'expired', transaction_status: 'Expired' } as const
const cancelled = { status: 'cancelled', transaction_status: 'Cancelled' } as const

/** Changes elsewhere while a page is open. */
const changes: [string, HostedPayable, Partial<HostedPayable>, string][] = [
  ['is paid in another tab', payable(), completed, 'completed'],
  ['is a link that another payer pays', linkPayable(), completed, 'completed'],
  ['expires', payable(), expired, 'expired'],
  ['is cancelled by the merchant', payable(), cancelled, 'cancelled'],
  ['is being paid in another tab', payable(), { in_progress: true }, 'processing'],
  ['belongs to a merchant that is disabled', payable(), { merchant_status: 'disabled' }, 'merchant_disabled'],
]

test.each(changes)('shows at once, without a timer, that the payment %s', async (_what, offered, change, shown) => {
  const { page, offer, complaints, close } = await open(offered, { stopped: true })
  await offer.followedBy(1)
  offer.change(change)
  await screen(page, shown)
  expect(complaints).toEqual([])
  await close()
})

test('shows a voucher as paid at once, without a timer, when it is paid at the counter', async () => {
  const offer = server.offer(voucherOut)
  const { page, close } = await openTab(browser, server.origin)
  await stopClock(page)
  await page.goto(offer.url)
  await screen(page, 'voucher')
  await offer.followedBy(1)
  offer.change({ ...completed, voucher: null })
  await screen(page, 'completed')
  await close()
})

test('closes the stream after a final state', async () => {
  const { page, offer, close } = await open(payable())
  await offer.followedBy(1)
  offer.holdOpen = true
  offer.change(completed)
  await screen(page, 'completed')
  await offer.followedBy(0)
  expect(offer.streams).toBe(1)
  await close()
})

test.each([404, 500, 'closed', 'silent'] as const)(
  'where the stream answers %s, the page asks every 10 s',
  async streamStatus => {
    const { page, offer, close } = await open(payable(), { streamStatus, stopped: true })
    offer.change({ amount_total: 99_900 })
    await page.clock.runFor(11_000)
    await page.locator('.summary-amount', { hasText: '999.00' }).waitFor()
    offer.change(expired)
    await page.clock.runFor(11_000)
    await screen(page, 'expired')
    await close()
  },
)

test('opens the event stream of the page again after it has broken', async () => {
  const { page, offer, close } = await open(payable())
  await offer.followedBy(1)
  offer.cut()
  await offer.followedBy(0)
  offer.change(cancelled)
  await screen(page, 'cancelled')
  await close()
})

test('recovers from a lost connection', async () => {
  const { page, offer, close } = await open(payable())
  await offer.followedBy(1)
  await page.context().setOffline(true)
  offer.cut()
  await page.locator('.cut-off').waitFor()
  offer.change({ amount_total: 99_900 })
  await page.context().setOffline(false)
  await page.locator('.cut-off').waitFor({ state: 'detached' })
  await page.locator('.summary-amount', { hasText: '999.00' }).waitFor()
  await close()
})

test('loads by itself once an unreachable service is back', async () => {
  const offer = server.offer(payable())
  offer.readStatus = 503
  offer.streamStatus = 503
  const { page, close } = await openTab(browser, server.origin)
  await stopClock(page)
  await page.goto(offer.url)
  await screen(page, 'unavailable')
  offer.readStatus = 200
  offer.streamStatus = 200
  await page.clock.runFor(11_000)
  await screen(page, 'form')
  await close()
})

test('shows the current state after back navigation', async () => {
  const { page, offer, close } = await open(payable())
  await page.goto(`${server.origin}/shop`)
  offer.change(expired)
  await page.goBack()
  await screen(page, 'expired')
  await close()
})

test('reads again when the browser restores the page from its cache', async () => {
  const { page, offer, close } = await open(payable(), { streamStatus: 404, stopped: true })
  offer.change(expired)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await screen(page, 'expired')
  await close()
})
