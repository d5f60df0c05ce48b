import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { waitFor } from '@cobro/testing'
import { generate } from 'otplib'
import type { Browser, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { cardPayment, inDashboard, logIn, rowOf } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'

const poorCard = '4000000000009995'

let world: AcceptanceStack
let stack: AcceptanceStack['stack']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  world = await sharedStack()
  ;({ stack } = world)
  clients = await clientsOf(stack)
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** Fails for what keeps people with a disability out, and for a phone that has to be scrolled sideways. */
async function expectUsable(page: Page): Promise<void> {
  expect(await wcagFaults(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  expect(await wcagFaults(page)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
}

const heads = (page: Page) => page.getByRole('columnheader').allTextContents()

test('the columns of payments are chosen, kept in the address and in a saved view', async () => {
  const { id } = await cardPayment(stack, clients.merchant, 'columns-1', poorCard)
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}/payments?status=declined`)
    await logIn(page, stack.client)
    await rowOf(page, 'columns-1').waitFor()
    const usual = ['Amount', 'Status', 'Method', 'Reference', 'E-mail']
    expect((await heads(page)).slice(1)).toEqual(usual)
    await page.getByRole('button', { name: 'Columns' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').uncheck()
    await dialog.getByLabel('Decline reason').check()
    await dialog.getByLabel('Id', { exact: true }).check()
    await expectUsable(page)
    await dialog.getByRole('button', { name: 'Done' }).click()
    const chosen = [...usual.slice(0, -1), 'Decline reason', 'Id']
    expect((await heads(page)).slice(1)).toEqual(chosen)
    await rowOf(page, id).getByText('Insufficient funds').waitFor()
    await expectUsable(page)

    await page.getByLabel('Status').selectOption('')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Why declined')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Why declined' }).waitFor()
    await page.reload()
    await rowOf(page, id).waitFor()
    expect((await heads(page)).slice(1)).toEqual(chosen)
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page.getByRole('columnheader', { name: 'E-mail' }).waitFor()
    expect((await heads(page)).slice(1)).toEqual(usual)
    await page.getByRole('link', { name: 'Why declined' }).click()
    await page.getByRole('columnheader', { name: 'Decline reason' }).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Usual columns' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    expect((await heads(page)).slice(1)).toEqual(usual)
    expect(new URL(page.url()).search).toBe('')
  })
})

const factorPanel = (page: Page) => page.getByRole('region', { name: 'Second factor' })

test('home names the disputes that wait for an answer, and leads to their payments', async () => {
  const disputed = async (external_id: string) => {
    const { id } = await cardPayment(stack, clients.merchant, external_id, '4000000000000259')
    const status = async () => (await clients.merchant.call('GET', `/api/transactions/${id}`)).body.data.status
    await waitFor(async () => (await status()) === 'chargeback')
    return id
  }
  const first = await disputed('attention-1')
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}`)
    await logIn(page, stack.client)
    const disputes = page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: /^Dispute of / })
    expect(await disputes.first().textContent()).toMatch(/^Dispute of \$[\d.]+ MXN \(\w+\): answer by \w/)
    await disputes.click()
    await page.getByRole('region', { name: 'Disputes' }).getByText('Open').waitFor()
    expect(page.url()).toContain(first)
    const second = await disputed('attention-2')
    await page.goto(`${stack.base_url}/dashboard/${stack.merchant_id}`)
    await disputes.nth(1).waitFor()
    await expectUsable(page)
    // The one to answer first comes first.
    await disputes.nth(1).click()
    await page.getByRole('region', { name: 'Disputes' }).getByText('Open').waitFor()
    expect(page.url()).toContain(second)
  })
})

test('a user sets up a second factor by a QR code, logs in with it and removes it', async () => {
  // Each code is accepted once: as if the one before had been of an earlier half minute.
  const code = async (secret: string) => {
    await world.query('update gateway.second_factors set last_step = 0')
    return generate({ secret })
  }
  await inDashboard({ stack, browser }, async (open, context) => {
    const page = await open(`/${stack.merchant_id}/account`)
    await logIn(page, stack.client)
    await factorPanel(page).getByRole('button', { name: 'Set up' }).click()
    const dialog = page.getByRole('dialog')
    await expectUsable(page)
    await page.keyboard.press('Enter')
    await dialog.getByRole('img', { name: 'QR code for your app' }).waitFor()
    await expectUsable(page)
    const secret = (await dialog.locator('code').first().textContent()) ?? ''
    await dialog.getByLabel('Code', { exact: true }).fill(await code(secret))
    await page.keyboard.press('Enter')
    await dialog.getByText('They are shown only here.').waitFor()
    const codes = ((await dialog.locator('code').textContent()) ?? '').split('\n')
    expect(codes).toHaveLength(10)
    const [recovery = ''] = codes
    await expectUsable(page)
    await dialog.getByRole('button', { name: 'I have stored them' }).click()
    await factorPanel(page).getByText('You have 10 recovery codes left.').waitFor()
    for (const gone of [secret, recovery]) expect(await page.content()).not.toContain(gone)
    await expectUsable(page)

    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('You logged out.').waitFor()
    await logIn(page, stack.client)
    await page.getByLabel('Code').fill(await code(secret))
    await page.keyboard.press('Enter')
    let refused = 0
    context.on('response', response => {
      if (response.url().endsWith('/api/me/factor/remove') && response.status() === 401) refused++
    })
    await factorPanel(page).getByRole('button', { name: 'Remove' }).click()
    await dialog.getByLabel('Code', { exact: true }).fill('not-a-code')
    await page.keyboard.press('Enter')
    await dialog.getByText('The code is wrong.').waitFor()
    expect(refused).toBe(1)
    await dialog.getByLabel('Code', { exact: true }).fill(recovery)
    await page.keyboard.press('Enter')
    await factorPanel(page).getByRole('button', { name: 'Set up' }).waitFor()
  })
})

test('a wrong code sets up nothing, and can be typed again', async () => {
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${stack.merchant_id}/account`)
    await logIn(page, stack.client)
    await factorPanel(page).getByRole('button', { name: 'Set up' }).click()
    await page.keyboard.press('Enter')
    const field = page.getByRole('dialog').getByRole('textbox')
    await field.fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('The code is wrong.').waitFor()
    expect(await field.isEditable()).toBe(true)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await factorPanel(page).getByText('With it, a login also asks for a code').waitFor()
  })
})

const loginsPanel = (page: Page) => page.getByRole('region', { name: 'Password and logins' })

test('a user asks for a link to choose another password, where mails are sent', async () => {
  await inDashboard({ stack, browser }, async (open, context) => {
    const page = await open(`/${stack.merchant_id}/account`)
    await logIn(page, stack.client)
    await loginsPanel(page).getByRole('button', { name: 'I forgot my password' }).click()
    await page.keyboard.press('Enter')
    await page.getByText('The link is on its way.').waitFor()
    await expectUsable(page)

    await context.route('**/api/me', async route => {
      const { data } = await (await route.fetch()).json()
      await route.fulfill({ json: { data: { ...data, features: [] } } })
    })
    await page.reload()
    await loginsPanel(page).getByRole('button', { name: 'Change password' }).waitFor()
    expect(await loginsPanel(page).getByRole('button', { name: 'I forgot my password' }).count()).toBe(0)
  })
})

test('a user changes its password and ends its other logins, which this browser survives', async () => {
  const { merchant_id } = stack
  const account = { email: `password-${merchant_id}@account.test`.toLowerCase(), password: 'a password that is long' }
  await clients.operator.call('POST', '/api/users', { ...account, role: 'client', merchant_id })
  const password = 'another password that is long'
  const logInElsewhere = (given: string) =>
    clients.operator.call('POST', '/api/auth/login', { email: account.email, password: given })
  const refresh = ({ body }: { body: { refresh_token: string } }) =>
    clients.operator.call('POST', '/api/auth/refresh', { refresh_token: body.refresh_token })
  await inDashboard({ stack, browser }, async open => {
    const page = await open(`/${merchant_id}/account`)
    await logIn(page, account)
    const elsewhere = await logInElsewhere(account.password)
    await loginsPanel(page).getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('New password').fill('too short')
    await page.keyboard.press('Enter')
    await page.getByText('Use at least 12 characters.').waitFor()
    await expectUsable(page)
    await page.getByLabel('New password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByText('Your password was changed.').waitFor()
    expect((await refresh(elsewhere)).status).toBe(401)
    expect((await logInElsewhere(account.password)).status).toBe(401)

    const again = await logInElsewhere(password)
    await loginsPanel(page).getByRole('button', { name: 'End my other logins' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End my other logins' }).click()
    await page.getByText('Your other logins have ended.', { exact: true }).waitFor()
    expect((await refresh(again)).status).toBe(401)
    await page.reload()
    await loginsPanel(page).getByRole('button', { name: 'Change password' }).waitFor()
    await expectUsable(page)
  })
})
