import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { payByCard } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { apiClient, clientsOf } from '../src/api-client.ts'
import { cardPayment, inDashboard, logIn as logInAs, rowOf as row } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack['stack']
let query: AcceptanceStack['query']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  const shared = await sharedStack()
  ;({ stack, query } = shared)
  clients = await clientsOf(stack)
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const [approvedCard, poorCard] = ['4242424242424242', '4000000000009995']

const payment = (external_id: string, { card = approvedCard, key = clients.merchant } = {}) =>
  cardPayment(stack, key, external_id, card)
const inBrowser = (work: Parameters<typeof inDashboard>[1], options?: BrowserContextOptions) =>
  inDashboard({ stack, browser }, work, options)
const logIn = (page: Page, who = stack.client) => logInAs(page, who)

test('a merchant finds a payment by its order, sees why it was declined, and refunds another in two clicks', async () => {
  const [paid, declined] = [await payment('dash-1'), await payment('dash-2', { card: poorCard })]
  await inBrowser(async open => {
    const page = await open()
    expect(await wcagFaults(page)).toEqual([])
    await logIn(page)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.getByRole('link', { name: 'Payments', exact: true }).click()
    await row(page, 'dash-1').waitFor()
    expect(page.url()).toBe(`${stack.base_url}/dashboard/${stack.merchant_id}/payments`)
    expect(await wcagFaults(page)).toEqual([])

    await page.getByLabel('Search').fill('dash-2')
    await page.keyboard.press('Enter')
    await row(page, 'dash-1').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?search=dash-2')
    await row(page, 'dash-2').getByRole('link').click()
    await page.getByText('The issuer declined the payment: there are insufficient funds.').waitFor()
    await page.getByText('Payment declined').waitFor()
    expect(page.url()).toContain(declined.id)
    expect(await page.getByRole('button', { name: 'Refund' }).count()).toBe(0)

    await page.goto(`${stack.base_url}/dashboard/${stack.merchant_id}/payments/${paid.id}`)
    let clicks = 0
    const click = (name: string) => {
      clicks++
      return page.getByRole('button', { name, exact: true }).click()
    }
    await click('Refund')
    expect(await wcagFaults(page)).toEqual([])
    await click('Refund $250.00 MXN')
    await page.getByText('The payment was returned to the payer.').waitFor()
    expect(clicks).toBe(2)
    await page.getByRole('region', { name: 'What happened' }).getByText('Refund requested').waitFor()
    expect(await wcagFaults(page)).toEqual([])
  })
  const { body } = await clients.client.call('GET', `/api/transactions/${paid.id}`)
  expect([body.data.status, body.data.refund_status]).toEqual(['refunded', 'completed'])
})

test('a pasted order or id leads to its payment without a click', async () => {
  const paid = await payment('dash-6')
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/keys`)
    await logIn(page)
    await page.getByRole('button', { name: 'Find' }).waitFor()
    for (const text of ['dash-6', paid.id]) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByLabel('Find').fill(text)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '$250.00 MXN' }).waitFor()
      expect(page.url()).toContain(paid.id)
      await page.goBack()
      await page.getByRole('heading', { name: 'API keys' }).waitFor()
    }
  })
})

test('a session leads to its payment, and the list of sessions to the session', async () => {
  await payment('dash-7')
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/sessions?status=completed`)
    await logIn(page)
    await row(page, 'dash-7').getByRole('link').click()
    await page.getByText('It was paid.').waitFor()
    expect(await wcagFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'See the payment' }).click()
    await page.getByText('The payment was captured.').waitFor()
  })
})

test('filters stay in the address over a reload, and a filter without rows offers to clear it', async () => {
  await payment('dash-3', { card: poorCard })
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments?status=declined,failed&search=dash-3`)
    await logIn(page)
    await row(page, 'dash-3').waitFor()
    await page.reload()
    await row(page, 'dash-3').waitFor()
    await page.getByLabel('Status').selectOption('chargeback')
    await page.getByText('Nothing matches the filters.').waitFor()
    expect(new URL(page.url()).search).toBe('?search=dash-3&status=chargeback')
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await row(page, 'dash-3').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })
})

test('a merchant makes a payment link in one click and Enter, and sees it paid', async () => {
  await inBrowser(
    async (open, context) => {
      const page = await open(`/${stack.merchant_id}/links`)
      await logIn(page)
      await page.getByRole('button', { name: 'New link' }).click()
      const amount = page.getByLabel('Amount (MXN)')
      await amount.fill('1,5')
      await page.getByLabel('Concept').fill('Dinner for two')
      await page.keyboard.press('Enter')
      await page.getByText('Enter an amount such as 250 or 250.50.').waitFor()
      await amount.fill('1,250.5')
      const preview = page.frameLocator('iframe')
      await preview.getByText('$1,250.50').first().waitFor()
      await preview.getByText('Dinner for two').first().waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '$1,250.50 MXN' }).waitFor()
      await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
      expect(await wcagFaults(page)).toEqual([])
      const url = (await page.locator('code').first().textContent()) ?? ''
      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByText('Copied').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
      await payByCard(stack.hosted_url, url, approvedCard)
      await page.getByText('It was paid.').waitFor()
      await page.getByRole('link', { name: 'See the payment' }).click()
      await page.getByText('The payment was captured.').waitFor()
      expect(context.pages()).toHaveLength(1)
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
})

test('a merchant makes a key, which is shown once, and revokes it once it has confirmed who it is', async () => {
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/keys`)
    await logIn(page)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Access').selectOption('Read only')
    await page.getByLabel('Name').fill('shop of the test')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Store it now: it is not shown again.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByText('Store it now: it is not shown again.').waitFor()
    expect(await wcagFaults(page)).toEqual([])
    const key = (await dialog.locator('code').textContent()) ?? ''
    const call = (method: string, path: string, body?: object) =>
      apiClient(stack.base_url, { authorization: `Token ${key}` }).call(method, path, body)
    expect((await call('GET', '/api/transactions')).status).toBe(200)
    expect((await call('POST', '/checkout/v1/sessions', { amount_total: 100 })).status).toBe(403)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await row(page, 'shop of the test').waitFor()
    expect(await page.content()).not.toContain(key)

    // A login that is older than five minutes is asked to confirm; a reload gets a token that says so.
    await query(
      `update gateway.refresh_tokens set authenticated_at = now() - interval '6 minutes'
      where user_id = (select id from gateway.users where email = $1)`,
      [stack.client.email],
    )
    await page.reload()
    await row(page, 'shop of the test').getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByLabel('Password').fill('not the password')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('The password or the code is wrong.').waitFor()
    await dialog.getByLabel('Password').fill(stack.client.password)
    await page.keyboard.press('Enter')
    await row(page, 'shop of the test').getByText('Revoked').waitFor()
    await waitFor(async () => (await call('GET', '/api/transactions')).status === 401)
    expect(await wcagFaults(page)).toEqual([])
  })
})

test('a merchant adds a webhook, sees why a test was not delivered, and sends it again', async () => {
  let isBroken = true
  const receiver = await startReceiver(() => (isBroken ? 500 : 200))
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/webhooks`)
    await logIn(page)
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('Address').fill(receiver.url)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Your server verifies signatures with it.').waitFor()
    expect(await dialog.locator('code').textContent()).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await row(page, receiver.url).waitFor()
    expect(await wcagFaults(page)).toEqual([])
    expect(await page.content()).not.toMatch(/whsec_\w{8}/)

    await row(page, receiver.url).getByRole('button', { name: 'Send test' }).click()
    await page.getByRole('heading', { name: 'webhook.test' }).waitFor()
    await page.getByText('noted').first().waitFor()
    await page.getByText('500').first().waitFor()
    expect(await wcagFaults(page)).toEqual([])
    isBroken = false
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('Your server received it.').waitFor()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await row(page, 'webhook.test').getByText('Delivered').waitFor()
    expect(await wcagFaults(page)).toEqual([])
  })
  await receiver.stop()
})

test('the tabs of a browser share a login, which ends in all of them', async () => {
  await inBrowser(async (open, context) => {
    const first = await open(`/${stack.merchant_id}/payments`)
    await logIn(first)
    await first.getByRole('heading', { name: 'Payments' }).waitFor()
    const second = await open(`/${stack.merchant_id}/payments`)
    await second.getByRole('heading', { name: 'Payments' }).waitFor()
    const stored = await first.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
    expect(stored).not.toMatch(/eyJ|vrt_/)
    expect(await first.evaluate('document.cookie')).toBe('')
    await second.getByRole('button', { name: 'Log out' }).click()
    for (const tab of [first, second]) await tab.getByText('You logged out.').waitFor()
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['cobro_device'])
    await first.reload()
    await first.getByLabel('Password').waitFor()
  })
})

test("a merchant's user sees nothing of another merchant's payment", async () => {
  const theirs = await payment('dash-theirs', { key: clients.stranger })
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments/${theirs.id}`)
    await logIn(page)
    await page.getByText('Your user has no access to this.').waitFor()
    await page.goto(`${stack.base_url}/dashboard/${stack.second.merchant_id}/payments`)
    await page.getByText('Your user has no access to this.').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.content()).not.toMatch(/dash-theirs|250\.00/)
    await page.getByRole('link', { name: 'See the payments' }).click()
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
  })
})

test('an operator acts for a merchant, and the page says so', async () => {
  await payment('dash-4')
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments?search=dash-4`)
    await logIn(page, stack.operator)
    await row(page, 'dash-4').waitFor()
    await page.getByText('You are acting for').waitFor()
    await page.getByRole('link', { name: 'Leave' }).click()
    await page.getByText('You are acting for').waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/dashboard/all/payments')
  })
})

test("an operator never sees one merchant's rows in the scope of another", async () => {
  await payment('dash-8')
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logIn(page, stack.operator)
    await row(page, 'dash-8').waitFor()
    let release = () => undefined as unknown
    const held = new Promise(resolve => {
      release = () => resolve(undefined)
    })
    await page.route('**/api/transactions?*', async route => {
      await held
      await route.continue().catch(() => undefined)
    })
    await page.evaluate(to => history.pushState(null, '', to), `/dashboard/${stack.second.merchant_id}/payments`)
    await page.getByText(stack.second.merchant_id).waitFor()
    expect(await row(page, 'dash-8').count()).toBe(0)
    release()
  })
})

test('a login that ended elsewhere leads to the login page at the next call', async () => {
  await inBrowser(async (open, context) => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logIn(page)
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await query(
      `update gateway.refresh_tokens set revoked_at = now()
      where user_id = (select id from gateway.users where email = $1)`,
      [stack.client.email],
    )
    const ended = page.getByText('Your session ended. Log in again.')
    // The gateway notices within a second.
    for (let status = 'declined'; !(await ended.isVisible()); status = status ? '' : 'declined') {
      const choice = page.getByLabel('Status').selectOption(status)
      await Promise.race([choice.catch(() => undefined), ended.waitFor()])
    }
    expect((await context.cookies()).length).toBeGreaterThan(0)
  })
})

test('a logout that does not reach the server says so, and is tried again', async () => {
  await inBrowser(async open => {
    const page = await open()
    await logIn(page)
    await page.route('**/api/auth/browser/logout', route => route.abort())
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('You could not be logged out').waitFor()
    await page.unroute('**/api/auth/browser/logout')
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('You logged out.').waitFor()
  })
})

test('a day that is typed filters once its year is complete, and Back brings the list before', async () => {
  await payment('dash-9')
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logIn(page)
    await row(page, 'dash-9').waitFor()
    const calls: string[] = []
    page.on('request', request => {
      if (request.url().includes('/api/transactions')) calls.push(request.url())
    })
    await page.getByLabel('From').pressSequentially('01012040')
    await page.getByText('Nothing matches the filters.').waitFor()
    expect(new URL(page.url()).search).toBe('?from=2040-01-01')
    expect(calls).toHaveLength(1)
    await page.goBack()
    await row(page, 'dash-9').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })
})

test('a wrong password and an unknown address are answered alike, in Spanish', async () => {
  await inBrowser(
    async open => {
      const page = await open()
      for (const email of [stack.client.email, 'nadie@example.com']) {
        await page.getByLabel('Correo electrónico').fill(email)
        await page.getByLabel('Contraseña').fill('not the password')
        await page.getByRole('button', { name: 'Entrar' }).click()
        await page.getByText('El correo o la contraseña no coinciden.').waitFor()
        await page.reload()
      }
    },
    { locale: 'es-MX' },
  )
})

test('a phone shows the payments without scrolling sideways', async () => {
  await payment('dash-5')
  await inBrowser(
    async open => {
      const page = await open(`/${stack.merchant_id}/payments`)
      await logIn(page)
      await row(page, 'dash-5').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      expect(await wcagFaults(page)).toEqual([])
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true, colorScheme: 'dark' },
  )
})
