import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { waitFor } from '@cobro/testing'
import type { Browser } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { cardPayment, inDashboard, logIn, rowOf } from '../src/dashboard-browser.ts'
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

const [approvedCard, poorCard, unreturnableCard] = ['4242424242424242', '4000000000009995', '4000000000005126']

/** Pays by card, asks for a refund, and waits until it has ended. */
async function refunded(external_id: string, card: string, key = clients.merchant) {
  const { id } = await cardPayment(stack, key, external_id, card)
  await key.call('POST', `/api/transactions/${id}/refund`)
  const status = async () => (await key.call('GET', `/api/transactions/${id}`)).body.data.refund_status
  await waitFor(async () => (await status()) !== 'processing')
  return id
}

test('a merchant filters payments by their card and by why they were declined', async () => {
  await cardPayment(stack, clients.merchant, 'card-1', approvedCard)
  await cardPayment(stack, clients.merchant, 'card-2', poorCard)
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}/payments?search=card-`)
    await logIn(page, stack.client)
    await rowOf(page, 'card-1').waitFor()
    await page.getByLabel('Last 4 digits').pressSequentially('9995')
    await rowOf(page, 'card-1').waitFor({ state: 'detached' })
    await rowOf(page, 'card-2').waitFor()
    await page.getByLabel('Decline reason').selectOption('Insufficient funds')
    await page.getByLabel('Brand').selectOption('Visa')
    await page.reload()
    await rowOf(page, 'card-2').waitFor()
    expect(new URL(page.url()).search).toBe(
      '?search=card-&decline_reason=insufficient_funds&card_last4=9995&card_brand=visa',
    )
    expect(await wcagFaults(page)).toEqual([])
    await page.getByLabel('Last 4 digits').fill('4242')
    await page.getByText('Nothing matches the filters.').waitFor()
  })
})

test('a merchant sees its refunds, the newest request first, and none of another merchant', async () => {
  const failed = await refunded('refund-1', unreturnableCard)
  await refunded('refund-2', approvedCard)
  await refunded('refund-theirs', approvedCard, clients.stranger)
  await cardPayment(stack, clients.merchant, 'refund-none', approvedCard)
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logIn(page, stack.client)
    await page.getByRole('link', { name: 'Refunds' }).click()
    // Until then, the page has the search field of the payments.
    await page.getByRole('heading', { name: 'Refunds', exact: true }).waitFor()
    await page.getByLabel('Search').fill('refund-')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/refunds?search=refund-')
    await rowOf(page, 'refund-2').getByText('Refunded').waitFor()
    await rowOf(page, 'refund-1').getByText('Refund failed').waitFor()
    const shown = await page.getByRole('row').allTextContents()
    expect(shown.flatMap(text => /refund-\w+/.exec(text) ?? [])).toEqual(['refund-2', 'refund-1'])
    expect(await wcagFaults(page)).toEqual([])
    await page.getByLabel('Status').selectOption('failed')
    await rowOf(page, 'refund-2').waitFor({ state: 'detached' })
    await rowOf(page, 'refund-1').getByRole('link').click()
    await page.waitForURL(`**/payments/${failed}`)
  })
})

test('a refund that a person has to transfer says so in the list', async () => {
  await refunded('refund-3', approvedCard)
  await inDashboard({ stack, browser }, async open => {
    const page = await open()
    await page.route('**/api/transactions?*', async route => {
      const response = await route.fetch()
      const { data, ...rest } = await response.json()
      const manual = data.map((row: object) => ({ ...row, refund_status: 'processing', manual_refund: true }))
      await route.fulfill({ response, json: { data: manual, ...rest } })
    })
    await logIn(page, stack.client)
    await page.getByRole('link', { name: 'Refunds' }).click()
    await rowOf(page, 'refund-3').getByText('Transfer by hand').waitFor()
    expect(await wcagFaults(page)).toEqual([])
  })
})
