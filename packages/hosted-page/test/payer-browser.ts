import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** A payer's tab, and what the page must not do. */
export interface PayerTab {
  readonly page: Page
  /** What the browser reported: errors, policy violations, and requests to other hosts. */
  readonly complaints: string[]
  readonly close: () => Promise<void>
}

/** Opens a tab in its own profile, without navigating, so that a test can prepare it. */
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
  page.setDefaultTimeout(180_000)
  // Ends no call of the page by time, however slow the machine is.
  await page.addInitScript(() => {
    AbortSignal.timeout = () => new AbortController().signal
  })
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('console', message => {
    // Chromium logs each answer of 400 and above; the tests check how the page handles those.
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

/** Waits until the page shows a screen. */
export const screen = (page: Page, name: string) => page.locator(`[data-screen=${name}]`).waitFor()

/** Stops the clock of a page before it opens. Its timers then run only when a test advances it. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 3_600_000)
}
