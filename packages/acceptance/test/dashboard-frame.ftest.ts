import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { waitFor } from '@cobro/testing'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { cardPayment, inDashboard, logIn, rowOf } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack['stack']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
let paid: Awaited<ReturnType<typeof cardPayment>>
/** The names of the two merchants. */
let names: { first: string; second: string }
beforeAll(async () => {
  ;({ stack } = await sharedStack())
  clients = await clientsOf(stack)
  browser = await openBrowser()
  await cardPayment(stack, clients.merchant, 'frame-declined', '4000000000009995')
  paid = await cardPayment(stack, clients.merchant, 'frame-paid', '4242424242424242')
  await cardPayment(stack, clients.stranger, 'frame-theirs', '4242424242424242')
  const nameOf = async (id: string) => (await clients.operator.call('GET', `/api/merchants/${id}`)).body.data.name
  names = { first: await nameOf(stack.merchant_id), second: await nameOf(stack.second.merchant_id) }
})
afterAll(() => browser?.close())

const inBrowser = (work: Parameters<typeof inDashboard>[1], options?: BrowserContextOptions) =>
  inDashboard({ stack, browser }, work, options)
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const press = (page: Page, ...keys: string[]) =>
  keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve())

/** Logs a merchant's user in, and waits until the page knows whether it wants single keys. */
async function logInForKeys(page: Page): Promise<void> {
  await Promise.all([page.waitForResponse('**/api/me/preferences'), logIn(page, stack.client)])
  await rowOf(page, 'frame-paid').waitFor()
}

test('an operator types to find a merchant, stays in the section, and finds it among the last ones', async () => {
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments/${paid.id}`)
    await logIn(page, stack.operator)
    await heading(page, '$250.00 MXN').waitFor()
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: names.first }).click()
    await dialog.getByRole('option', { name: 'All merchants' }).waitFor()
    expect(await wcagFaults(page)).toEqual([])
    await dialog.getByRole('combobox', { name: 'Merchant' }).fill(names.second)
    await dialog.getByRole('option', { name: names.second }).waitFor()
    await press(page, 'Enter')
    await rowOf(page, 'frame-theirs').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${stack.second.merchant_id}/payments`)

    // What was read in the scope before is asked for again.
    const asked: (string | undefined)[] = []
    page.on('request', request => {
      if (request.url().includes('/api/transactions?')) asked.push(request.headers()['x-merchant-id'])
    })
    await page.getByRole('button', { name: names.second }).click()
    await dialog.getByRole('option', { name: names.first }).click()
    await rowOf(page, 'frame-paid').waitFor()
    expect(asked).toEqual([stack.merchant_id])
    await page.getByRole('button', { name: names.first }).click()
    await press(page, 'Enter')
    await page.getByText('You are acting for').waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/dashboard/all/payments')
    await rowOf(page, 'frame-theirs').waitFor()
  })
})

test("a merchant's user sees its name alone", async () => {
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logIn(page, stack.client)
    await page.getByText(names.first, { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: names.first }).count()).toBe(0)
  })
})

test('the banner of an operator and the badge of the sandbox stay in view, and the tab says that it is a test', async () => {
  await inBrowser(
    async open => {
      const page = await open(`/${stack.merchant_id}/payments/${paid.id}`)
      await logIn(page, stack.operator)
      await page.getByText('Payment approved').waitFor()
      await page.evaluate('scrollTo(0, document.body.scrollHeight)')
      await waitFor(async () => (await page.evaluate<number>('scrollY')) > 0)
      const banner = page.getByRole('status').filter({ hasText: 'You are acting for' })
      const { y, height } = (await banner.boundingBox()) ?? { y: -1, height: 0 }
      expect([y, height]).toEqual([48, 32])
      expect((await page.getByText('Test mode').boundingBox())?.y).toBeGreaterThanOrEqual(0)
      expect(await page.title()).toMatch(/^\[test\] txn_/)
      expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/assets\/test-mark-.*\.svg$/)
    },
    { viewport: { width: 1024, height: 400 } },
  )
})

test('a page says once that the device has no connection, above the screen', async () => {
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logIn(page, stack.client)
    await rowOf(page, 'frame-paid').waitFor()
    // Without taking the connection away: the browser would report each call that fails.
    const setOnline = (isOnline: boolean) =>
      page.evaluate(value => {
        Object.defineProperty(navigator, 'onLine', { value, configurable: true })
        dispatchEvent(new Event(value ? 'online' : 'offline'))
      }, isOnline)
    await setOnline(false)
    await page.getByRole('alert').getByText('This device is offline.').waitFor()
    await setOnline(true)
    await page.getByText('This device is offline.').waitFor({ state: 'detached' })
  })
})

test('keys go to sections and rows, open, copy, refund, export and create', async () => {
  await inBrowser(
    async open => {
      const page = await open(`/${stack.merchant_id}/payments`)
      await logInForKeys(page)
      const dialog = page.getByRole('dialog')
      await press(page, '/')
      expect(await page.getByLabel('Search').evaluate(field => field === document.activeElement)).toBe(true)
      await page.keyboard.type('gje?')
      expect(await page.getByLabel('Search').inputValue()).toBe('gje?')
      expect(await dialog.count()).toBe(0)
      await heading(page, 'Payments').click()

      // The newest payment is the first row.
      await press(page, 'j', 'j', 'k', 'c')
      await page.getByText(`Copied ${paid.id}`).waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(paid.id)
      await press(page, 'e')
      await dialog.getByText('Export').first().waitFor()
      await press(page, 'g', 'h', 'Escape')
      await dialog.waitFor({ state: 'detached' })
      await press(page, 'j', 'k', 'Enter')
      await heading(page, '$250.00 MXN').waitFor()
      // A slip after `g` does not refund, and neither does a key with Alt.
      await press(page, 'g', 'x', 'g', 'r')
      await heading(page, 'Refunds').waitFor()
      await page.goBack()
      await heading(page, '$250.00 MXN').waitFor()
      await press(page, 'Alt+r', 'r')
      await dialog.getByRole('button', { name: 'Refund $250.00 MXN' }).waitFor()
      await press(page, 'Escape')
      await dialog.waitFor({ state: 'detached' })

      await press(page, 'g', 'k')
      await heading(page, 'API keys').waitFor()
      await press(page, 'n', 'l')
      await dialog.getByLabel('Concept').waitFor()
      await press(page, 'Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.reload()
      await page.getByRole('button', { name: 'New link' }).waitFor()
      expect(await dialog.count()).toBe(0)
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
})

test('the help lists the keys, and switches them off in every browser of the user', async () => {
  const areKeys = async (page: Page, on: boolean) => {
    await page.getByRole('dialog').locator('label[aria-busy=false]').waitFor()
    const { data } = (await clients.client.call('GET', '/api/me/preferences')).body
    expect(data.shortcuts).toBe(on)
  }
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logInForKeys(page)
    const dialog = page.getByRole('dialog')
    await press(page, '?')
    await dialog.getByText('Go to Refunds').waitFor()
    expect(await wcagFaults(page)).toEqual([])
    await dialog.getByLabel('Use single-key shortcuts').uncheck()
    await areKeys(page, false)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await press(page, 'g', 'k', '?')
    expect(await dialog.count()).toBe(0)
    expect(new URL(page.url()).pathname).toMatch(/payments$/)
  })
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/payments`)
    await logInForKeys(page)
    await press(page, 'g', 'k', '?')
    await page.getByRole('button', { name: 'Help' }).click()
    await page.getByRole('dialog').getByLabel('Use single-key shortcuts').check()
    await areKeys(page, true)
    await press(page, 'Escape', 'g', 'k')
    await heading(page, 'API keys').waitFor()
  })
})

test('the palette goes to screens, creates a link, and finds payments, sessions and links', async () => {
  await inBrowser(async open => {
    const page = await open(`/${stack.merchant_id}/keys`)
    await logIn(page, stack.client)
    await page.getByRole('button', { name: 'Find' }).waitFor()
    const dialog = page.getByRole('dialog')
    const find = async (text: string) => {
      await press(page, 'Control+k')
      await dialog.getByLabel('Find').fill(text)
    }
    await find('refu')
    await press(page, 'Enter')
    await heading(page, 'Refunds').waitFor()
    await find('new li')
    await press(page, 'Enter')
    await dialog.getByLabel('Concept').waitFor()
    await press(page, 'Escape')

    // Each letter would be a call.
    const searches: string[] = []
    page.on('request', request => {
      if (request.url().includes('search=')) searches.push(new URL(request.url()).search)
    })
    await press(page, 'Control+k')
    await dialog.getByLabel('Find').pressSequentially('frame-paid')
    await dialog.getByRole('group', { name: 'Payments' }).getByText('Approved · frame-paid').waitFor()
    await dialog.getByRole('group', { name: 'Sessions' }).getByText('frame-paid').waitFor()
    expect(searches.length).toBeLessThan(3 * 'frame-paid'.length)
    expect(searches.every(search => search.includes('limit=5') && search.includes('count=none'))).toBe(true)
    expect(await wcagFaults(page)).toEqual([])
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter')
    await page.getByText('It was paid.').waitFor()

    // A call that the text has overtaken is not waited for.
    await page.route('**/api/transactions?*search=frame-dec*', route => setTimeout(() => void route.abort(), 60_000))
    await find('frame-dec')
    const overtaken = await page.waitForRequest('**/api/transactions?*search=frame-dec*')
    await dialog.getByLabel('Find').fill('frame-pai')
    await dialog.getByRole('group', { name: 'Payments' }).getByText('Approved · frame-paid').waitFor()
    expect(overtaken.failure()?.errorText).toBe('net::ERR_ABORTED')
    await press(page, 'Escape')

    // The last digits of a card and an amount.
    for (const text of ['4242 250', '4242 $250.00']) {
      await find(text)
      await press(page, 'Enter')
      await page.waitForURL(`**/payments/${paid.id}`)
      await page.getByText('The payment was captured.').waitFor()
      await page.goBack()
      await page.getByText('It was paid.').waitFor()
    }
    await find('4242 251')
    await press(page, 'Enter')
    await page.getByText('Nothing matches the filters.').waitFor()
    expect(new URL(page.url()).search).toBe('?card_last4=4242&amount_cents=25100')
    expect(await page.getByLabel('Amount').inputValue()).toBe('25100')
    await page.getByText('251.00', { exact: true }).waitFor({ state: 'attached' })
  })
})

test('the calls of a screen are listed for a shell, without the token', async () => {
  await inBrowser(
    async open => {
      const page = await open(`/${stack.merchant_id}/payments`)
      await logIn(page, stack.client)
      await rowOf(page, 'frame-paid').waitFor()
      let bearer = ''
      page.on('request', request => {
        bearer = request.headers().authorization?.replace('Bearer ', '') ?? bearer
      })
      await page.getByRole('link', { name: 'Webhooks' }).click()
      await heading(page, 'Webhooks').waitFor()
      await page.getByRole('button', { name: 'API calls' }).click()
      const drawer = page.getByRole('dialog')
      const call = drawer.getByRole('listitem').filter({ hasText: 'GET /api/webhooks?' })
      await call.getByText('200').waitFor()
      await call.getByText(/^\d+ ms$/).waitFor()
      expect(await drawer.getByText('/api/transactions').count()).toBe(0)
      await call.getByText('GET /api/webhooks?').click()
      await call.getByRole('link', { name: /^req_/ }).waitFor()
      await call.getByRole('button', { name: 'Copy' }).click()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      expect(copied).toContain(`curl '${stack.base_url}/api/webhooks?`)
      expect(copied).toContain('"Authorization: Bearer $COBRO_TOKEN"')
      expect(bearer.length).toBeGreaterThan(20)
      expect(await page.content()).not.toContain(bearer)
      expect(await wcagFaults(page)).toEqual([])
      await press(page, 'Escape')
      await drawer.waitFor({ state: 'detached' })
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
})

test('a phone has a bar at the bottom, and fits', async () => {
  await inBrowser(
    async open => {
      const page = await open(`/${stack.merchant_id}/keys`)
      await logIn(page, stack.operator)
      await heading(page, 'API keys').waitFor()
      const bar = page.getByRole('navigation', { name: 'Sections' })
      await bar.getByText('New link').waitFor()
      const places = bar.locator('a, button')
      expect(await places.allTextContents()).toEqual(['Home', 'Payments', 'New link', 'Find', 'More'])
      for (const place of [...(await places.all()), page.getByRole('button', { name: 'Help' })]) {
        const { width, height } = (await place.boundingBox()) ?? { width: 0, height: 0 }
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
      }
      const fits = async () => expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      await fits()
      expect(await wcagFaults(page)).toEqual([])
      await bar.getByText('More').click()
      const dialog = page.getByRole('dialog')
      expect(await wcagFaults(page)).toEqual([])
      await dialog.getByRole('link', { name: 'Requests' }).click()
      await heading(page, 'Requests').waitFor()
      await dialog.waitFor({ state: 'detached' })
      for (const [button, inside] of [
        ['Find', 'Sections'],
        ['Help', 'Go to Refunds'],
        [names.first, 'All merchants'],
      ] as const) {
        await page.getByRole('button', { name: button }).click()
        await dialog.getByText(inside).first().waitFor()
        await fits()
        expect(await wcagFaults(page)).toEqual([])
        await press(page, 'Escape')
        await dialog.waitFor({ state: 'detached' })
      }
      await bar.getByText('New link').click()
      await dialog.getByLabel('Concept').waitFor()
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true },
  )
})
