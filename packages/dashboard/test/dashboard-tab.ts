import { colorRules, wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import type { Browser, Locator, Page } from 'playwright-core'

/** A tab with the dashboard, and what is wrong with what it has shown. */
export interface DashboardTab {
  readonly page: Page
  /** What the browser reported and what axe found, by the state in which it was. */
  readonly faults: Record<string, string[]>
  /** Waits until the page shows something, and looks for faults, and for those of colors in the other theme too. */
  check(state: string, shown: Locator): Promise<void>
  close(): Promise<void>
}

/** How a tab is opened: in Spanish and light, unless a test says otherwise. */
export interface TabOptions {
  remembersLogin: boolean
  locale?: 'es-MX' | 'en-US'
  theme?: 'light' | 'dark'
  /** Whether it is on a small touch screen. */
  isPhone?: boolean
}

/** Opens a tab whose clock tests can put forward. Every page that it loads remembers a login, or does not. */
export async function openDashboardTab(
  browser: Browser,
  origin: string,
  { remembersLogin, locale = 'es-MX', theme = 'light', isPhone = false }: TabOptions,
): Promise<DashboardTab> {
  const context = await browser.newContext({
    locale,
    reducedMotion: 'reduce',
    colorScheme: theme,
    hasTouch: isPhone,
    viewport: isPhone ? { width: 360, height: 740 } : { width: 1280, height: 900 },
  })
  context.setDefaultTimeout(60_000)
  const change = remembersLogin ? "setItem('cobro.login', 'open')" : 'clear()'
  await context.addInitScript(`localStorage.${change}`)
  const page = await context.newPage()
  await page.clock.install()
  const faults: Record<string, string[]> = {}
  let state = 'before the first state'
  const note = (...found: string[]) => {
    if (found.length > 0) faults[state] = [...(faults[state] ?? []), ...found]
  }
  page.on('pageerror', error => note(String(error)))
  page.on('console', message => {
    // The browser's own note of an answer that the test has scripted.
    if (!message.text().startsWith('Failed to load resource')) note(`${message.type()}: ${message.text()}`)
  })
  page.on('request', request => {
    if (!request.url().startsWith(`${origin}/`)) note(`called ${request.url()}`)
  })
  return {
    page,
    faults,
    check: async (next, shown) => {
      state = next
      await shown.first().waitFor()
      note(...(await wcagFaults(page)))
      const other = theme === 'light' ? 'dark' : 'light'
      await page.emulateMedia({ colorScheme: other })
      note(...(await wcagFaults(page, colorRules)).map(fault => `in ${other}: ${fault}`))
      await page.emulateMedia({ colorScheme: theme })
    },
    close: () => context.close(),
  }
}

/** Puts the clock of a page forward until it shows something. */
export async function forwardUntil(page: Page, shown: Locator): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await shown.first().isVisible()) return
    await page.clock.runFor(250)
  }
  throw new Error(`Not shown within 100 seconds: ${shown}`)
}
