import { jest } from '@jest/globals'
import { payable, sampleVoucher } from './payables.ts'
import { screen, typeCard } from './payer-browser.ts'
import { openForm } from './payer-world.ts'
import { pending } from './payment-scripts.ts'

jest.setTimeout(15_000)

const both = payable({ payment_method_types: ['card', 'cash'] })
const completed = { status: 'completed', transaction_status: 'Approved', in_progress: false, voucher: null } as const

/** A tab whose payer stands in a field that is filled in: taking it away makes the browser leave it in the midst of that. */
async function openFilled() {
  const tab = await openForm(both)
  await typeCard(tab.page)
  await tab.offer.followedBy(1)
  await tab.page.locator('#holder').focus()
  return tab
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
