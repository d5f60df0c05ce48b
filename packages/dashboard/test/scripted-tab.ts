import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import type { Browser, Page } from 'playwright-core'
import { type DashboardTab, openDashboardTab, type TabOptions } from './dashboard-tab.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.ts'

/** A scripted service and a tab with a login, for all tests of a file: opening one takes longer than most of them. */
export interface ScriptedTab {
  service: ScriptedService
  browser: Browser
  tab: DashboardTab
  /** The page of the tab. */
  page: Page
}

/** Opens them before the tests of this file, and begins each with the usual answers. Each ends without a fault. */
export function useScriptedTab(
  ready: (opened: ScriptedTab) => void,
  look: Omit<TabOptions, 'remembersLogin'> = {},
): void {
  const opened: Partial<ScriptedTab> = {}
  beforeAll(async () => {
    const [service, browser] = await Promise.all([startScriptedService(), openBrowser()])
    Object.assign(opened, { service, browser })
    opened.tab = await openDashboardTab(browser, service.origin, { remembersLogin: true, ...look })
    ready({ service, browser, tab: opened.tab, page: opened.tab.page })
  })
  afterAll(async () => {
    await opened.browser?.close()
    await opened.service?.stop()
  })
  beforeEach(async () => {
    await opened.tab?.page.goto('about:blank')
    opened.service?.reset()
    for (const state of Object.keys(opened.tab?.faults ?? {})) delete opened.tab?.faults[state]
  })
  afterEach(() => {
    expect({ ...opened.tab?.faults, service: opened.service?.faults }).toEqual({ service: [] })
  })
}
