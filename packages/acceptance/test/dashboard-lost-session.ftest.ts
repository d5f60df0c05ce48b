import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import type { Browser, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { type BrowserWork, inDashboard, logIn } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack['stack']
let query: AcceptanceStack['query']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  ;({ stack, query } = await sharedStack())
  clients = await clientsOf(stack)
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const inBrowser = (work: BrowserWork) => inDashboard({ browser, stack }, work)
const covered = (page: Page) => page.getByRole('dialog').filter({ hasText: 'Your session ended. Log in again.' })

/** Opens a form with a new link, and ends the login on the server while it is filled in. */
async function formWithoutLogin(open: Parameters<BrowserWork>[0], concept: string): Promise<Page> {
  const page = await open(`/${stack.merchant_id}/links`)
  await page.clock.install()
  await logIn(page, stack.client)
  await page.getByRole('button', { name: 'New link' }).click()
  await page.getByLabel('Amount (MXN)').fill('123.45')
  await page.getByLabel('Concept').fill(concept)
  await query(
    `update gateway.refresh_tokens set revoked_at = now()
    where user_id = (select id from gateway.users where email = $1)`,
    [stack.client.email],
  )
  return page
}

const linksNamed = async (concept: string) => {
  const { body } = await clients.merchant.call('GET', '/api/payment-links?limit=50')
  return body.data.filter((link: { concepto: string | null }) => link.concepto === concept)
}

test('what was typed is sent once its user has logged in again, and once', async () => {
  await inBrowser(async open => {
    const page = await formWithoutLogin(open, 'Lost and found')
    let sent = 0
    page.on('request', request => {
      if (request.method() === 'POST' && request.url().endsWith('/api/payment-links')) sent++
    })
    // The gateway notices within a second.
    await page.waitForTimeout(1_500)
    await page.getByLabel('Concept').press('Enter')
    await covered(page).waitFor()
    for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
    await covered(page).waitFor()
    await page.keyboard.press('Control+K')
    // Longer than any call may take.
    await page.clock.fastForward(180_000)
    expect(await wcagFaults(page)).toEqual([])
    expect(await linksNamed('Lost and found')).toEqual([])
    await logIn(page, stack.client)
    await page.getByRole('heading', { name: '$123.45 MXN' }).waitFor()
    expect(await page.title()).not.toContain('Log in')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await linksNamed('Lost and found')).toHaveLength(1)
    expect(sent).toBe(2)
  })
})

test('another user who logs in instead sees nothing of what was typed, and sends nothing', async () => {
  await inBrowser(async open => {
    const page = await formWithoutLogin(open, 'Of someone else')
    await page.waitForTimeout(1_500)
    await page.getByLabel('Concept').press('Enter')
    await covered(page).waitFor()
    await logIn(page, stack.operator)
    await page.getByText('You are acting for').waitFor()
    await page.getByRole('heading', { name: 'Payment links' }).waitFor()
    expect(await page.getByLabel('Concept').count()).toBe(0)
    expect(await linksNamed('Of someone else')).toEqual([])
  })
})

test('a right password that comes after the login was ended elsewhere is not called wrong', async () => {
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/keys`)
    await logIn(page, stack.client)
    await page.getByRole('button', { name: 'New key' }).first().waitFor()
    const ofUser = 'where user_id = (select id from gateway.users where email = $1)'
    const change = (what: string) => query(`update gateway.refresh_tokens set ${what} ${ofUser}`, [stack.client.email])
    // The token of a reload says when its user was last asked for a password.
    await change("authenticated_at = now() - interval '6 minutes'")
    await page.reload()
    await page.getByRole('button', { name: 'New key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Made after all')
    await page.keyboard.press('Enter')
    await dialog.getByText('Confirm that it is you').waitFor()
    await change('revoked_at = now()')
    // The gateway notices within a second.
    await page.waitForTimeout(1_500)
    await dialog.getByLabel('Password').fill(stack.client.password)
    await page.keyboard.press('Enter')
    await covered(page).waitFor()
    await covered(page).getByLabel('E-mail address').fill(stack.client.email)
    await covered(page).getByLabel('Password').fill(stack.client.password)
    await page.keyboard.press('Enter')
    await covered(page).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'I have stored it' }).waitFor()
    expect(await page.getByText('is wrong').count()).toBe(0)
  })
})

test('two tabs in use ask for one new token together, three times', async () => {
  await inBrowser(async (open, context) => {
    await context.clock.install()
    const first = await open(`/${stack.merchant_id}/payments`)
    await logIn(first, stack.client)
    await first.getByRole('heading', { name: 'Payments' }).waitFor()
    const second = await open(`/${stack.merchant_id}/links`)
    await second.getByRole('heading', { name: 'Payment links' }).waitFor()
    const tabs = [first, second]
    let refreshes = 0
    context.on('response', answer => {
      if (answer.url().endsWith('/api/auth/browser/refresh') && answer.ok()) refreshes++
    })
    for (const round of [1, 2, 3]) {
      // Only a user who is there gets a new one.
      for (const tab of tabs) await tab.keyboard.press('Shift')
      // Into the last minute of the token.
      await context.clock.fastForward(14.5 * 60_000)
      const isSearch = new RegExp(`search=round.${round}`)
      const searches = tabs.map(tab => tab.waitForResponse(answer => isSearch.test(answer.url())))
      for (const tab of tabs) await tab.getByLabel('Search').fill(`round ${round}`)
      for (const tab of tabs) await tab.keyboard.press('Enter')
      const answers = await Promise.all(searches)
      const tokens = new Set(answers.map(answer => answer.request().headers().authorization))
      expect([answers.every(answer => answer.ok()), tokens.size, refreshes]).toEqual([true, 1, round])
    }
  })
})
