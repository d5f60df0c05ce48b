import { payable, sampleVoucher } from './payables.ts'
import { screen, typeCard } from './payer-browser.ts'
import { openForm, ownServerAndBrowser } from './payer-world.ts'
import { pending } from './payment-scripts.ts'

ownServerAndBrowser()

const both = payable({ payment_method_types: ['card', 'cash'] })
const completed = { status: 'completed', transaction_status: 'Approved', in_progress: false, voucher: null } as const

/** Opens a tab with a filled, focused field: its removal in a render fires its blur event. */
async function openFilled() {
  const tab = await openForm(both)
  await typeCard(tab.page)
  await tab.offer.followedBy(1)
  await tab.page.locator('#holder').focus()
  return tab
}

test('shows the outcome of a payment that was sent with Enter in a field', async () => {
  const { page, offer, complaints, close } = await openFilled()
  offer.scripts.push(pending)
  await page.keyboard.press('Enter')
  await screen(page, 'processing')
  offer.change(completed)
  await screen(page, 'completed')
  expect(complaints).toEqual([])
  await close()
})

test('shows each step of another tab while a filled field has the focus', async () => {
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

test('shows the form again once the merchant is enabled, while a filled field had the focus', async () => {
  const { page, offer, close } = await openFilled()
  offer.change({ merchant_status: 'disabled' })
  await screen(page, 'merchant_disabled')
  offer.change({ merchant_status: 'active' })
  await screen(page, 'form')
  await close()
})
