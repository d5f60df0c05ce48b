import { jest } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { payable, sampleVoucher } from './payables.ts'
import { openBrowser, openTab, screen, typeCard } from './payer-browser.ts'
import { type PayerServer, startPayerServer } from './payer-server.ts'
import { pending } from './payment-scripts.ts'

jest.setTimeout(15_000)

let server: PayerServer
let browser: Browser
beforeAll(async () => {
  ;[server, browser] = await Promise.all([startPayerServer(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

const both = payable({ payment_method_types: ['card', 'cash'] })
const completed = { status: 'completed', transaction_status: 'Approved', in_progress: false, voucher: null } as const

/** A tab whose payer stands in a field that is filled in: taking it away makes the browser leave it in the midst of that. */
async function openFilled() {
  const offer = server.offer(both)
  const tab = await openTab(browser, server.origin)
  await tab.page.goto(offer.url)
  await screen(tab.page, 'form')
  await typeCard(tab.page)
  await offer.followedBy(1)
  await tab.page.locator('#holder').focus()
  return { ...tab, offer }
}

test('a payment sent by Enter in a field shows its outcome when it comes', async () => {
  const { page, offer, complaints, close } = await openFilled()
  offer.scripts.push(pending)
  await page.keyboard.press('Enter')
  await screen(page, 'processing')
  offer.change(completed)
  await screen(page, 'completed')
  expect(complaints).toEqual([])
  await close()
})

test('a page that stands in a filled field shows what another tab does, step by step', async () => {
  const { page, offer, complaints, close } = await openFilled()
  offer.change({ in_progress: true })
  await screen(page, 'processing')
  offer.change({ in_progress: false, voucher: sampleVoucher, had_voucher: true })
  await screen(page, 'voucher')
  offer.change(completed)
  await screen(page, 'completed')
  expect(complaints).toEqual([])
  await close()
})

test('a page that stands in a filled field comes back once its merchant takes payments again', async () => {
  const { page, offer, close } = await openFilled()
  offer.change({ merchant_status: 'disabled' })
  await screen(page, 'merchant_disabled')
  offer.change({ merchant_status: 'active' })
  await screen(page, 'form')
  await close()
})
