import { mkdir, writeFile } from 'node:fs/promises'
import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { encodeWithPalette } from '@cobro/hosted-page/test/palette-png'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { payByCard } from '@cobro/local-stack'
import { seedTransactions, waitFor } from '@cobro/testing'
import type { Browser, Page } from 'playwright-core'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, clientsOf } from '../src/api-client.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

/** With UPDATE_SCREENS, the pictures of the screens are written here. They show the day on which they are taken. */
const folder = new URL('../../dashboard/docs/screens/', import.meta.url)
const rows = 20_000
const approvedCard = '4242424242424242'

let stack: AcceptanceStack
let receiver: Awaited<ReturnType<typeof startReceiver>>
let browser: Browser
/** The addresses of the screens, below the merchant. */
let screens: Record<string, string>
beforeAll(async () => {
  stack = await acceptanceStack()
  receiver = await startReceiver()
  const { merchant, operator } = await clientsOf(stack.stack)
  screens = await fill(merchant, operator)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await receiver?.stop()
  await stack?.stop()
})

/** Gives the merchant a year of payments, and some of everything else. */
async function fill(merchant: ApiClient, operator: ApiClient): Promise<Record<string, string>> {
  const { merchant_id, hosted_url } = stack.stack
  const create = async (path: string, body: object, by = merchant) => {
    const answer = await by.call('POST', path, body, by === operator ? { 'x-merchant-id': merchant_id } : {})
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.body.error}`)
    return answer.body.data ?? answer.body
  }
  await seedTransactions(stack.query, { merchant: merchant_id, rows, merchantRows: rows / 4 })
  await create('/api/webhooks', { url: receiver.url, events: ['*'], description: 'Tienda en línea' })
  await create('/api/api-keys', { name: 'Tienda en línea' }, operator)
  const sucursal = await create('/api/sucursales', { name: 'Centro' })
  await create('/api/terminales', { name: 'Caja 1', serial: 'T-1042', sucursal_id: sucursal.id })
  const link = await create('/checkout/v1/links', { amount: '1250.50', concepto: 'Pastel de tres leches' })
  const order = { amount_total: 25_000, external_id: 'A-1042', success_url: 'https://shop.test/ok' }
  const { body: session, headers } = await merchant.call('POST', '/checkout/v1/sessions', order)
  await payByCard(hosted_url, session.id, approvedCard)
  const delivery = await waitFor(async () => {
    const { body } = await merchant.call('GET', '/api/webhook-deliveries?status=succeeded&limit=1')
    return body.data[0]
  })
  const { body } = await merchant.call('GET', '/api/transactions?order_id=A-1042')
  return {
    ...{ home: '?period=month', payments: 'payments', payment: `payments/${body.data[0].id}`, refunds: 'refunds' },
    ...{ sessions: 'sessions', session: `sessions/${session.id}`, links: 'links', link: `links/${link.id}` },
    ...{ webhooks: 'webhooks', deliveries: 'deliveries', delivery: `deliveries/${delivery.id}`, keys: 'keys' },
    ...{ requests: 'requests', request: `requests/${headers.get('x-request-id')}` },
    ...{ branches: 'branches', branch: `branches/${sucursal.id}`, terminals: 'terminals' },
    ...{ sandbox: 'sandbox', account: 'account' },
  }
}

const allLooks = [
  { name: '1440-light', width: 1440, height: 900, colorScheme: 'light', locale: 'es-MX' },
  { name: '1440-dark', width: 1440, height: 900, colorScheme: 'dark', locale: 'es-MX' },
  { name: '360', width: 360, height: 740, colorScheme: 'light', locale: 'es-MX' },
  { name: '1440-en', width: 1440, height: 900, colorScheme: 'light', locale: 'en-US' },
] as const
/** Without --long, those in which most is likely to be wrong. */
const looks = process.env.COBRO_TEST_LONG === '1' ? allLooks : allLooks.slice(1, 3)

/** Pictures show what is below the window too, up to so many pixels. */
const tallest = 2_000
/** The screens of which there are pictures in English too. */
const inEnglish = ['home', 'payments', 'payment', 'link', 'webhooks']

/** With UPDATE_SCREENS, writes a picture of a screen, or of a dialog in its window. */
async function keep(name: string, look: string, page: Page, isDialog = false): Promise<void> {
  if (!process.env.UPDATE_SCREENS || (look === '1440-en' && !inEnglish.includes(name))) return
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  // What stands at the end of the window, as on phones, then stands at the end of the picture.
  if (!isDialog) await page.setViewportSize({ width, height: Math.min(Math.max(whole, height), tallest) })
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  await page.setViewportSize({ width, height })
  await mkdir(folder, { recursive: true })
  await writeFile(new URL(`${name}-${look}.png`, folder), encodeWithPalette(picture))
}

/** Opens the dialog that a screen has, and fills in its form. Returns its name. */
async function openDialog(screen: string, page: Page): Promise<string | undefined> {
  const button = { payment: /^(Reembolsar|Refund)$/, links: /^(Nuevo link|New link)$/ }[screen]
  if (!button) return undefined
  await page.locator('main').getByRole('button', { name: button }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  if (screen === 'payment') return 'refund'
  await dialog.getByLabel(/^(Importe|Monto|Amount)/).fill('1250.50')
  await dialog.getByLabel(/^(Concepto|Concept)/).fill('Pastel de tres leches')
  await dialog.frameLocator('iframe').getByText('Pastel de tres leches').waitFor({ state: 'attached' })
  return 'new-link'
}

/** Logs in, and calls back on each screen once all of it is there. */
async function visitScreens(page: Page, visit: (name: string) => Promise<void>): Promise<void> {
  const { base_url, merchant_id, client } = stack.stack
  await page.locator('input[type=email]').fill(client.email)
  await page.locator('input[type=password]').fill(client.password)
  await page.keyboard.press('Enter')
  // Which the login page has not.
  await page.locator('#content h1').waitFor()
  for (const [name, path] of Object.entries(screens)) {
    await page.goto(`${base_url}/dashboard/${merchant_id}${path.startsWith('?') ? '' : '/'}${path}`)
    await page.locator('#content h1').waitFor()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    await visit(name)
  }
}

test.each(looks)('every screen is accessible and fits: $name', async ({ name: look, width, height, ...options }) => {
  const context = await browser.newContext({ viewport: { width, height }, ...options })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(String(error)))
  const { base_url, merchant_id } = stack.stack
  await page.goto(`${base_url}/dashboard/${merchant_id}`)
  await page.locator('input[type=email]').waitFor()
  const faults: Record<string, string[]> = { login: await wcagFaults(page) }
  await keep('login', look, page)
  await visitScreens(page, async name => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    faults[name] = [...(await wcagFaults(page)), ...(wide > width ? [`it is ${wide} pixels wide`] : [])]
    await keep(name, look, page)
    const dialog = await openDialog(name, page)
    if (!dialog) return
    faults[dialog] = await wcagFaults(page)
    await keep(dialog, look, page, true)
  })
  expect({ ...faults, complaints }).toEqual({
    ...Object.fromEntries(['login', 'refund', 'new-link', ...Object.keys(screens)].map(name => [name, []])),
    complaints: [],
  })
  await context.close()
})

/** Makes each text 40 % longer, as a translation may. Evaluated in the browser. */
function lengthenTexts(): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { currentNode: text } = texts
    const length = Math.round((text.textContent ?? '').trim().length * 0.4)
    if (length > 0) text.textContent += ` ${'x'.repeat(Math.min(length, 12))}`
  }
}

/** Names what cuts its own words off. What merchants wrote may be cut, in cells of tables. Evaluated in the browser. */
function cutOff(): string[] {
  const words = document.querySelectorAll<HTMLElement>('h1, h2, label, button, summary, th, dt, nav a')
  return [...words]
    .filter(word => getComputedStyle(word).overflowX !== 'visible' && word.scrollWidth > word.clientWidth + 1)
    .map(word => word.outerHTML)
}

/** Names the parts of charts that are painted like the page. Evaluated in the browser. */
function hiddenBars(): string[] {
  const page = getComputedStyle(document.body).backgroundColor
  return [...document.querySelectorAll('[data-tone][style*=height], [data-tone][style*=width]')]
    .filter(bar => {
      const { backgroundColor, borderTopColor, borderTopWidth } = getComputedStyle(bar)
      return (borderTopWidth === '0px' ? backgroundColor : borderTopColor) === page
    })
    .map(bar => bar.outerHTML)
}

test('every screen fits at 400 %, and with longer texts, and its charts are seen in forced colours', async () => {
  const context = await browser.newContext({ viewport: { width: 320, height: 256 }, locale: 'es-MX' })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  const { base_url, merchant_id } = stack.stack
  await page.goto(`${base_url}/dashboard/${merchant_id}`)
  const faults: Record<string, unknown[]> = {}
  await visitScreens(page, async name => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    faults[name] = [...(wide > 320 ? [`it is ${wide} pixels wide`] : []), ...(await page.evaluate(hiddenBars))]
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.evaluate(lengthenTexts)
    const wider = await page.evaluate(() => document.documentElement.scrollWidth)
    faults[name].push(...(await page.evaluate(cutOff)))
    if (wider > 1440) faults[name].push(`it is ${wider} pixels wide with longer texts`)
    await page.setViewportSize({ width: 320, height: 256 })
  })
  expect(faults).toEqual(Object.fromEntries(Object.keys(screens).map(name => [name, []])))
  await context.close()
})
