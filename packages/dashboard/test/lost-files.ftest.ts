import type { Page } from 'playwright-core'
import { shellTexts } from '../src/text/shell-texts.ts'
import { type DashboardTab, openDashboardTab } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { merchantId } from './service-answers.ts'

const { es: texts } = shellTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
let openTab: () => Promise<DashboardTab>
useScriptedTab(opened => {
  ;({ service } = opened)
  openTab = () => openDashboardTab(opened.browser, service.origin, { remembersLogin: true })
})
// Each test begins without a cache.
beforeEach(async () => {
  tab = await openTab()
  page = tab.page
  await open()
})
afterEach(async () => {
  expect(tab.faults).toEqual({})
  await tab.close()
})

const main = () => page.locator('main')
const rows = () => main().locator('tbody tr')
const entry = (name: string) => page.getByRole('navigation', { name: texts.navigation }).getByRole('link', { name })
const button = (name: string) => main().getByRole('button', { name })

/** Shows home, once what is loaded after it is there. */
async function open(): Promise<void> {
  await page.goto(`${service.origin}/dashboard/${merchantId}`)
  await main().locator('dl').first().waitFor()
  await page.clock.runFor(4_000)
  await page.waitForLoadState('networkidle')
}

test('a screen whose files cannot be had is tried three times, and then again as often as the user wants', async () => {
  service.answerAssets(503)
  await entry(texts.payments).click()
  await tab.check('failed', main().getByRole('alert').getByText(texts.failed))
  expect(service.assetCalls.get('payments-screen')).toBe(3)
  await button(texts.retry).click()
  await main().getByRole('alert').waitFor({ state: 'detached' })
  await main().getByRole('alert').waitFor()
  expect(service.assetCalls.get('payments-screen')).toBe(6)
  service.answerAssets(undefined)
  await button(texts.retry).click()
  await rows().first().waitFor()
})

test('a screen that was asked for without a connection is there once the connection is', async () => {
  const place = await entry(texts.links).boundingBox()
  await page.context().setOffline(true)
  await page.getByText(texts.noConnection).waitFor()
  // If the sections moved, another screen would be loaded under a resting pointer.
  expect(await entry(texts.links).boundingBox()).toEqual(place)
  await entry(texts.links).click()
  await tab.check('offline', main().getByText(texts.failed))
  await page.context().setOffline(false)
  await button(texts.retry).click()
  await rows().first().waitFor()
  // Also those that were not asked for again, and one that shares files with them.
  await page.context().setOffline(true)
  await entry(texts.sessions).click()
  await main().getByText(texts.failed).waitFor()
  await page.context().setOffline(false)
  await entry(texts.keys).click()
  await rows().first().waitFor()
  await entry(texts.sessions).click()
  await rows().first().waitFor()
})

test('files that cannot be had for a moment are loaded without a word', async () => {
  service.answerAssets(503, { isOnce: true })
  await entry(texts.refunds).click()
  await rows().first().waitFor()
  expect(service.assetCalls.get('refunds-screen')).toBe(2)
})

test('a palette whose files cannot be had says so, and opens once they can', async () => {
  await tab.close()
  tab = await openTab()
  page = tab.page
  await page.goto(`${service.origin}/dashboard/${merchantId}/payments`)
  await rows().first().waitFor()
  service.answerAssets(503)
  await page.keyboard.press('Control+k')
  await tab.check('no palette', page.getByRole('alert').getByText(texts.failed))
  service.answerAssets(undefined)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('a screen whose file is gone says that there is a new version, and loads it when the user wants', async () => {
  service.answerAssets(404)
  await entry(texts.payments).click()
  await tab.check('new version', main().getByRole('alert').getByText(texts.newVersion))
  expect(service.assetCalls.get('payments-screen')).toBe(1)
  expect(await button(texts.retry).count()).toBe(0)
  // The others go on.
  await entry(texts.home).click()
  await main().locator('dl').first().waitFor()
  await entry(texts.payments).click()
  await button(texts.reload).waitFor()
  service.answerAssets(undefined)
  await button(texts.reload).click()
  await rows().first().waitFor()
})
