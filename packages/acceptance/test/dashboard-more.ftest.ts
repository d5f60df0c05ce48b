import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { payByCard, payInCash } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { type BrowserWork, inDashboard, logIn, rowOf as row } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack['stack']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  ;({ stack } = await sharedStack())
  clients = await clientsOf(stack)
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const inBrowser = (work: BrowserWork) => inDashboard({ browser, stack }, work)
const openAs = async (open: Parameters<BrowserWork>[0], path: string, who = stack.client) => {
  const page = await open(`/${stack.merchant_id}${path}`)
  await logIn(page, who)
  return page
}

/** Fails for what keeps people with a disability out, and for a phone that has to be scrolled sideways. */
async function expectUsable(page: Page): Promise<void> {
  expect(await wcagFaults(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  expect(await wcagFaults(page)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** Opens a session, pays it by card, and returns the request that opened it and its transaction. */
async function payment(external_id: string, card = '4242424242424242', fields: object = {}) {
  const order = { amount_total: 25_000, external_id, success_url: 'https://shop.test/ok', ...fields }
  const opened = await clients.merchant.call('POST', '/checkout/v1/sessions', order)
  await payByCard(stack.hosted_url, opened.body.id, card)
  const { body } = await clients.merchant.call('GET', `/api/transactions?order_id=${external_id}`)
  const [{ id }] = body.data as [{ id: string }]
  return { id, request: opened.headers.get('x-request-id') ?? '' }
}

interface Me {
  permissions: string[]
}

/** Changes what the dashboard gets to know of who calls. */
const changeMe = (context: BrowserContext, change: (me: Me) => Me & { trace_url?: string }) =>
  context.route('**/api/me', async route => {
    const { data } = await (await route.fetch()).json()
    await route.fulfill({ json: { data: change(data) } })
  })

test('a merchant finds a request by its operation or id, and what it led to', async () => {
  const paid = await payment('more-1')
  await clients.merchant.call('GET', '/api/transactions/txn_01kdvc4x2m8p6q7r9s0t1v2w3x')
  await inBrowser(async open => {
    const page = await openAs(open, '/requests?status_class=4xx')
    await row(page, '/api/transactions/txn_01kdvc4x2m8p6q7r9s0t1v2w3x').getByText('not_found').waitFor()
    await expectUsable(page)
    await page.getByLabel('Search').fill('createCheckoutSession')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing matches the filters.').waitFor()
    await page.getByLabel('Result').selectOption('2xx')
    await row(page, 'POST /checkout/v1/sessions').first().getByRole('link').click()
    await page.getByRole('heading', { name: 'POST /checkout/v1/sessions' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Requests' }).click()
    await row(page, 'POST /checkout/v1/sessions').first().waitFor()
    expect(new URL(page.url()).search).toBe('?search=createCheckoutSession&status_class=2xx')
    await page.getByLabel('Who').selectOption('Users')
    await page.getByText('Nothing matches the filters.').waitFor()
    await page.getByLabel('Who').selectOption('API keys')
    await row(page, 'POST /checkout/v1/sessions').first().waitFor()

    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByLabel('Find').fill(paid.request)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Session created' }).waitFor()
    expect(page.url()).toContain(paid.request)
    await expectUsable(page)
    await page.getByRole('link', { name: 'Payment approved' }).click()
    await page.getByText('The payment was captured.').waitFor()
    // The timeline leads back to the request, below what it caused.
    const created = page.getByRole('listitem').filter({ hasText: 'Session created' })
    await created.getByRole('link', { name: 'POST /checkout/v1/sessions' }).click()
    await page.getByText('The API answered.').waitFor()
  })
})

test('a merchant opens a branch, and moves a terminal in and out of it', async () => {
  await inBrowser(async open => {
    const page = await openAs(open, '/branches')
    await page.getByRole('button', { name: 'New branch' }).click()
    expect(await wcagFaults(page)).toEqual([])
    await page.getByLabel('Name').fill('Branch of the test')
    await page.getByLabel('City').fill('Puebla')
    await page.getByRole('button', { name: 'Create branch' }).click()
    await page.getByRole('heading', { name: 'Branch of the test' }).waitFor()
    await page.getByText('The branch has no terminals.').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Telephone').fill('222 123 4567')
    await page.getByRole('button', { name: 'Save Branch of the test' }).click()
    await page.getByText('222 123 4567').waitFor()
    await page.getByText('Puebla').waitFor()

    await page.getByRole('link', { name: 'See all terminals' }).click()
    await page.getByText('Nothing matches the filters.').waitFor()
    await page.getByRole('button', { name: 'New terminal' }).click()
    await page.getByLabel('Name').fill('Till of the test')
    await page.getByLabel('Serial number').fill('SN-dash')
    await page.getByRole('button', { name: 'Create terminal' }).click()
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await row(page, 'SN-dash').getByText('No branch').waitFor()
    await expectUsable(page)

    await page.getByRole('link', { name: 'Branches' }).first().click()
    await row(page, 'Branch of the test').getByRole('link').click()
    await page.getByRole('button', { name: 'Link a terminal' }).click()
    const terminal = page.getByRole('dialog').getByLabel('Terminal')
    await terminal.selectOption('Till of the test · SN-dash')
    await page.getByRole('button', { name: 'Link Till of the test' }).click()
    await row(page, 'SN-dash').waitFor()
    await expectUsable(page)
    await row(page, 'SN-dash').getByRole('button', { name: 'Unlink' }).click()
    await page.getByRole('button', { name: 'Unlink Till of the test' }).click()
    await page.getByText('The branch has no terminals.').waitFor()
    await page.goBack()
    await expectUsable(page)
  })
})

test('a terminal leads to the payments that it took', async () => {
  const opened = await clients.merchant.call('POST', '/api/terminales', { name: 'Till of payments', serial: 'SN-pays' })
  const taken = {
    ...{ amount_cents: 12_300, rail: 'inperson_cp', payment_method: 'card', card: { brand: 'visa', last4: '4242' } },
    ...{ terminal_id: opened.body.data.id, reference: 'more-taken' },
  }
  const merchant = { 'x-merchant-id': stack.merchant_id }
  expect((await clients.operator.call('POST', '/api/transactions', taken, merchant)).status).toBe(201)
  await payment('more-2')
  await inBrowser(async open => {
    const page = await openAs(open, '/terminals')
    await row(page, 'SN-pays').getByRole('link', { name: 'Till of payments' }).click()
    await row(page, 'more-taken').getByText('$123.00 MXN').waitFor()
    expect(await row(page, 'more-2').count()).toBe(0)
    expect(new URL(page.url()).search).toBe(`?terminal_id=${opened.body.data.id}`)
  })
})

test('a payment shows its deliveries, which are sent again from there, and its own data', async () => {
  const receiver = await startReceiver(() => 200)
  const endpoint = await clients.merchant.call('POST', '/api/webhooks', {
    url: receiver.url,
    events: ['payment.approved'],
  })
  const paid = await payment('more-3', '4242424242424242', { metadata: { plan: 'gold' } })
  await inBrowser(async (open, context) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await openAs(open, `/payments/${paid.id}`)
    const panel = page.getByRole('region', { name: 'Webhook deliveries' })
    const delivery = panel.getByRole('row').filter({ hasText: 'payment.approved' }).filter({ hasText: receiver.url })
    await delivery.getByText('Delivered').waitFor()
    await delivery.getByText('200').waitFor()
    await page.getByRole('region', { name: 'Your data' }).getByText('"plan": "gold"').waitFor()
    expect(await page.getByRole('region', { name: 'Disputes' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl ${stack.base_url}/api/transactions/${paid.id} -H "Authorization: Token $COBRO_API_KEY"`,
    )
    await expectUsable(page)
    const sent = receiver.received.length
    await delivery.getByRole('button', { name: 'Send again' }).click()
    await waitFor(() => receiver.received.length > sent)
    await delivery.getByText('Delivered').waitFor()

    // One panel that fails leaves the others.
    await page.route('**/api/webhook-deliveries?*', route => route.fulfill({ status: 403, body: '{}' }))
    await page.reload()
    await panel.getByText('Your user has no access to this.').waitFor()
    await page.getByText('Payment approved').waitFor()
  })
  await clients.merchant.call('DELETE', `/api/webhooks/${endpoint.body.id}`)
  await receiver.stop()
})

test('a disputed payment shows its dispute, and an operator its traces', async () => {
  const paid = await payment('more-4', '4000000000000259')
  const status = async () => (await clients.merchant.call('GET', `/api/transactions/${paid.id}`)).body.data.status
  await waitFor(async () => (await status()) === 'chargeback')
  await inBrowser(async (open, context) => {
    await changeMe(context, me => ({ ...me, trace_url: 'https://traces.example.com/{trace_id}' }))
    const page = await openAs(open, `/payments/${paid.id}`, stack.operator)
    await page.getByRole('region', { name: 'Disputes' }).getByText('Open').waitFor()
    const traces = page.getByRole('region', { name: 'For developers' }).getByRole('link')
    await traces.first().waitFor()
    expect(await traces.first().getAttribute('href')).toMatch(/^https:\/\/traces\.example\.com\/[0-9a-f]{32}$/)
    await expectUsable(page)
  })
})

test('a developer copies a test card, and pays a voucher as a payer would', async () => {
  const order = { amount_total: 25_000, return_url: 'https://shop.test/back', payment_method_types: ['cash'] }
  const opened = await clients.merchant.call('POST', '/checkout/v1/sessions', order)
  const { reference } = (await payInCash(stack.hosted_url, opened.body.id)).body.voucher as { reference: string }
  await inBrowser(async (open, context) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await openAs(open, '/payments')
    await page.getByRole('link', { name: 'Sandbox' }).click()
    const card = row(page, '4000000000009995')
    await card.getByText('It is declined: there are insufficient funds.').waitFor()
    await card.getByRole('button', { name: 'Copy' }).click()
    await card.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('4000000000009995')
    await page.getByLabel('Payment reference').fill(` ${reference} `)
    await page.getByRole('button', { name: `Pay the reference ${reference}` }).click()
    await page.getByText(`The reference ${reference} was paid.`).waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'See the payments in cash' }).click()
    await row(page, 'Cash').first().getByText('Approved').waitFor()
  })
})

test('what a user may not do is neither in the menu nor on a screen', async () => {
  await inBrowser(async (open, context) => {
    const denied = ['listRequests', 'listTestCards', 'createSucursal']
    await changeMe(context, me => ({
      ...me,
      permissions: me.permissions.filter(permission => !denied.includes(permission)),
    }))
    const page = await openAs(open, '/branches')
    await page.getByRole('link', { name: 'API keys' }).waitFor()
    for (const name of ['Requests', 'Sandbox']) expect(await page.getByRole('link', { name }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'New branch' }).count()).toBe(0)
  })
})

test('a dialog names the merchant for which an operator acts, and the account what its access means', async () => {
  const paid = await payment('more-5')
  await inBrowser(async open => {
    const page = await openAs(open, `/payments/${paid.id}`, stack.operator)
    await page.getByRole('button', { name: 'Refund' }).click()
    await page.getByRole('dialog').getByText('You are acting for').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByText('Admin: everything').waitFor()
  })
})
