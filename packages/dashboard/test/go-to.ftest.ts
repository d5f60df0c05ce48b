import type { Page } from 'playwright-core'
import { shellTexts } from '../src/text/shell-texts.ts'
import type { DashboardTab } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId, permissionsWithout } from './service-answers.ts'

const { es: texts } = shellTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(opened => {
  ;({ service, tab, page } = opened)
})

const idOf = (prefix: string) => `${prefix}_01kdvc4x2m8p6q7r9s0t1v2w3x`
const main = () => page.locator('main')
const go = (id: string, scope = '') => page.goto(`${service.origin}/dashboard/${scope}go/${id}`)
const within = () => page.url().replace(`${service.origin}/dashboard/`, '')

function forbid(...some: string[]): void {
  const { data } = answerOf('getMe')
  service.answer('getMe', { body: { data: { ...data, permissions: permissionsWithout(...some) } } })
}

const places = [
  ['txn', `payments/${idOf('txn')}`],
  ['cs', `sessions/${idOf('cs')}`],
  ['pl', `links/${idOf('pl')}`],
  ['whd', `deliveries/${idOf('whd')}`],
  ['req', `requests/${idOf('req')}`],
  ['suc', `branches/${idOf('suc')}`],
  ['trm', `payments?terminal_id=${idOf('trm')}`],
  ['corr', `payments?correlation_id=${idOf('corr')}`],
  ['whk', `deliveries?webhook_id=${idOf('whk')}`],
  ['evt', `deliveries?event_id=${idOf('evt')}`],
  ['key', 'keys'],
] as const

test.each(places)('the address of %s without a scope leads to what shows it', async (prefix, path) => {
  await go(idOf(prefix))
  await page.waitForURL(`**/dashboard/${merchantId}/${path}`)
  await main().locator('h1').waitFor()
  if (path.includes('?'))
    await main()
      .getByRole('combobox')
      .and(page.locator(`:has(option[value=${idOf(prefix)}])`))
      .waitFor()
})

test('the way back skips the address that led on', async () => {
  await page.goto(`${service.origin}/dashboard/${merchantId}/keys`)
  await main().locator('tbody tr').first().waitFor()
  await page.evaluate(to => history.pushState(null, '', to), `/dashboard/go/${idOf('txn')}`)
  await page.waitForURL(`**/${merchantId}/payments/${idOf('txn')}`)
  await page.goBack()
  await page.waitForURL(`**/${merchantId}/keys`)
})

test('an id that no screen shows can be searched for', async () => {
  await go(idOf('dsp'))
  await tab.check('nowhere', main().getByText(texts.nowhere(idOf('dsp'))))
  expect(within()).toBe(`${merchantId}/go/${idOf('dsp')}`)
  await main().getByLabel(texts.find).fill(idOf('whk'))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/deliveries?webhook_id=${idOf('whk')}`)
})

test('an id leads only to what the user may see', async () => {
  forbid('listWebhookDeliveries')
  await go(idOf('whk'), `${merchantId}/`)
  await tab.check('not allowed', main().getByText(texts.forbidden))
  await main().getByText('listWebhookDeliveries').waitFor()
  expect(service.calls).not.toContain('listWebhookDeliveries')
})

test('the palette opens what an id leads to, if the user may see it', async () => {
  await page.goto(`${service.origin}/dashboard/${merchantId}/keys`)
  const paste = async (text: string) => {
    await main().locator('tbody tr').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByLabel(texts.find).waitFor()
    await page.keyboard.insertText(text)
  }
  await paste(` ${idOf('trm')}`)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/payments?terminal_id=${idOf('trm')}`)

  forbid('listWebhookDeliveries')
  await page.goto(`${service.origin}/dashboard/${merchantId}/keys`)
  await paste(idOf('whk'))
  await page.getByRole('dialog').getByRole('option').first().waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  expect(within()).toBe(`${merchantId}/keys`)
})
