import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

export const openBrowser = (): Promise<Browser> => {
  const executablePath = process.env.CHROMIUM_PATH
  if (!executablePath) throw new Error('CHROMIUM_PATH is not set. Run the tests by npm test, which looks for Chromium.')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-sync',
    ],
  })
}

/** A payer's tab, and all that a page of ours must not do. */
export interface PayerTab {
  readonly page: Page
  /** What the browser complained of: errors, broken policy, and requests to hosts that are not ours. */
  readonly complaints: string[]
  readonly close: () => Promise<void>
}

/** Opens a tab in a profile of its own. It goes nowhere yet, so that a test may prepare it. */
export async function openTab(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<PayerTab> {
  const context = await browser.newContext({
    locale: 'es-MX',
    timezoneId: 'America/Mexico_City',
    reducedMotion: 'reduce',
    viewport: { width: 390, height: 844 },
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('console', message => {
    // Chromium notes each answer of 400 and above by itself; what the page makes of those is the tests' subject.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('request', request => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`request to ${request.url()}`)
  })
  return { page, complaints, close: () => context.close() }
}

export async function typeCard(page: Page, number = '4242424242424242'): Promise<void> {
  await page.locator('#number').fill(number)
  await page.locator('#expiry').fill('12/31')
  await page.locator('#cvc').fill('123')
  await page.locator('#holder').fill('Ana Ruiz')
}

/** Waits until the page shows one of its faces. */
export const screen = (page: Page, name: string) => page.locator(`[data-screen=${name}]`).waitFor()
