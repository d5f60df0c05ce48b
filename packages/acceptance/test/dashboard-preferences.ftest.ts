import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { waitFor } from '@cobro/testing'
import type { Browser, Page } from 'playwright-core'
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

const [approvedCard, poorCard] = ['4242424242424242', '4000000000009995']
const dark = 'rgb(15, 18, 22)'

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name })

/** Saves the filters of the address under a name. */
async function saveView(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
}

/** Logs in at the payments of the merchant, with filters in the address. */
async function openPayments(page: Page, search = ''): Promise<void> {
  await page.goto(`${stack.base_url}/dashboard/${stack.merchant_id}/payments${search}`)
  await logIn(page, stack.client)
  await tab(page, 'All').waitFor()
}

test('a view that was saved is there after a reload and in another browser, until it is deleted', async () => {
  await cardPayment(stack, clients.merchant, 'view-1', approvedCard)
  await cardPayment(stack, clients.merchant, 'view-2', poorCard)
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logIn(page, stack.client)
    await rowOf(page, 'view-1').waitFor()
    expect(await page.getByRole('button', { name: 'Save view' }).count()).toBe(0)
    await page.getByLabel('Status').selectOption('declined')
    await rowOf(page, 'view-1').waitFor({ state: 'detached' })
    await saveView(page, 'Declined today')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await tab(page, 'Declined today').getAttribute('aria-current')).not.toBeNull()
    expect(await tab(page, 'All').getAttribute('aria-current')).toBeNull()
    expect(await page.getByRole('button', { name: 'Save view' }).count()).toBe(0)
    expect(await wcagFaults(page)).toEqual([])

    await tab(page, 'All').click()
    await rowOf(page, 'view-1').waitFor()
    await page.reload()
    await tab(page, 'Declined today').click()
    await rowOf(page, 'view-1').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?status=declined')
    await page.getByLabel('Search').fill('view-2')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Declined today')
    await page.keyboard.press('Enter')
    await page.getByText('You have a view with this name.').waitFor()
  })
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}/payments?status=declined`)
    await logIn(page, stack.client)
    await tab(page, 'Declined today').waitFor()
    expect(await tab(page, 'Declined today').getAttribute('aria-current')).not.toBeNull()
    await page.getByRole('button', { name: 'Delete the view Declined today' }).click()
    await tab(page, 'Declined today').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('All')
    await page.goto(`${stack.base_url}/dashboard/${stack.merchant_id}/links`)
    await tab(page, 'All').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Payment links' }).waitFor()
    expect(await tab(page, 'Declined today').count()).toBe(0)
  })
})

test('a page whose views another one has changed says so, and saves at the second try', async () => {
  await inDashboard({ stack, browser }, async (_, context) => {
    const page = await context.newPage()
    await openPayments(page, '?status=failed')
    await page.getByRole('button', { name: 'Save view' }).waitFor()
    const { version, views } = (await clients.client.call('GET', '/api/me/preferences')).body.data
    const theirs = [...views, { list: 'payments', name: 'Of another page', search: 'status=approved' }]
    await clients.client.call('PUT', '/api/me/preferences', { version, views: theirs })
    await saveView(page, 'Mine')
    await page.getByText('Another page changed your preferences').waitFor()
    await page.keyboard.press('Enter')
    await tab(page, 'Mine').waitFor()
    await tab(page, 'Of another page').waitFor()
  })
})

test('a theme survives a reload without a flash of another, and language and time zone follow the user', async () => {
  await cardPayment(stack, clients.merchant, 'view-3', approvedCard)
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}/account`)
    await logIn(page, stack.client)
    const background = () => page.evaluate('document.body && getComputedStyle(document.body).backgroundColor')
    await page.getByLabel('Theme').selectOption('dark')
    await waitFor(async () => (await background()) === dark)
    await page.getByLabel('Time zone').selectOption('UTC')
    await page.getByLabel('Language').selectOption('es')
    await page.getByRole('heading', { name: 'Cuenta' }).waitFor()
    expect(await wcagFaults(page)).toEqual([])
    await waitFor(async () => {
      const { data } = (await clients.client.call('GET', '/api/me/preferences')).body
      return data.locale === 'es' && data.theme === 'dark' && data.timezone === 'UTC'
    })

    // Without any script of the application, the page is dark on a device that is light.
    let release = () => undefined as unknown
    const held = new Promise(resolve => {
      release = () => resolve(undefined)
    })
    await page.route('**/assets/index-*.js', async route => {
      await held
      await route.continue()
    })
    await page.reload({ waitUntil: 'commit' })
    await waitFor(async () => (await background()) === dark)
    expect(await page.evaluate('document.querySelector("#app").childElementCount')).toBe(0)
    release()
    await page.getByRole('heading', { name: 'Cuenta' }).waitFor()
    expect(await background()).toBe(dark)
  })
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logIn(page, stack.client)
    await page.getByRole('columnheader', { name: 'Fecha (UTC)' }).waitFor()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  })
})
