import type { Page } from 'playwright-core'
import { confirmTexts } from '../src/text/confirm-texts.ts'
import { homeTexts } from '../src/text/home-texts.ts'
import { keysTexts } from '../src/text/keys-texts.ts'
import { listTexts } from '../src/text/list-texts.ts'
import { loginTexts } from '../src/text/login-texts.ts'
import { paymentPanelsTexts } from '../src/text/payment-panels-texts.ts'
import { paymentTexts } from '../src/text/payment-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { type DashboardTab, forwardUntil } from './dashboard-tab.ts'
import { details, lists, screens } from './screen-list.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId } from './service-answers.ts'

const { en: texts } = shellTexts
const { en: home } = homeTexts
const { en: panels } = paymentPanelsTexts
const { en: confirm } = confirmTexts
const { en: keys } = keysTexts
const { en: login } = loginTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(
  opened => {
    ;({ service, tab, page } = opened)
  },
  { locale: 'en-US', theme: 'dark' },
)

const open = (path: string) => page.goto(`${service.origin}/dashboard/${merchantId}/${path}`)
const main = () => page.locator('main')
const dialog = () => page.getByRole('dialog')

test.each(screens)('$name loads, fails, is forbidden and is filled', async ({ path, reads, filled }) => {
  service.answer(reads, 'held')
  await open(path)
  await tab.check('loading', main().locator('[aria-busy=true] [class*=bone]'))
  service.answer(reads, { error: 'internal_error' })
  await tab.check('failed', main().getByRole('alert').getByText('internal_error'))
  service.answer(reads, { error: 'forbidden' })
  await main().getByRole('button', { name: texts.retry }).first().click()
  await tab.check('forbidden', main().getByText(texts.forbidden))
  service.usual(reads)
  await open(path)
  await tab.check('filled', page.locator(filled))
})

test.each(lists)('$name has nothing yet, and nothing that was looked for', async ({ path, reads }) => {
  service.answer(reads, { body: { ...answerOf(reads), data: [], count: 0 } })
  await open(path)
  await tab.check('first use', main().locator('pre').getByText('curl'))
  await open(`${path}?search=caf%C3%A9`)
  await tab.check('nothing found', main().getByText(listTexts.en.filteredEmpty))
})

const payment = details.find(({ name }) => name === 'payment')?.path ?? ''

test.each([
  ['', 'getDeclineReport', home.declines],
  ['', 'getCheckoutReport', home.checkout.session],
  ['', 'getWebhookReport', home.webhooks],
  [payment, 'getLifecycle', paymentTexts.en.timeline],
  [payment, 'listWebhookDeliveries', panels.deliveries],
  [payment, 'listDisputes', panels.disputes],
])('a panel of "%s" that reads %s says why it fails, and then has its content', async (path, reads, title) => {
  const panel = main().getByRole('region', { name: title, exact: true })
  service.answer(reads, { error: 'internal_error' })
  await open(path)
  await tab.check('failed', panel.getByText('internal_error'))
  service.usual(reads)
  await panel.getByRole('button', { name: texts.retry }).click()
  await panel.getByText('internal_error').waitFor({ state: 'detached' })
  await tab.check('filled', panel)
})

test('a form says what was not accepted, and that of a confirmation too', async () => {
  await open('keys')
  await main().getByRole('button', { name: keys.newKey }).first().click()
  await dialog().getByLabel(keys.name).fill('Shop')
  service.answer('createApiKey', { error: 'invalid_request' })
  await page.keyboard.press('Enter')
  await tab.check('not accepted', dialog().getByText(keys.failed))
  service.answer('createApiKey', { error: 'confirmation_required' })
  await dialog().getByRole('button', { name: keys.create }).click()
  await tab.check('confirmation', dialog().getByText(confirm.confirmText))
  service.answer('confirmLogin', { error: 'unauthorized' })
  await dialog().getByLabel(confirm.password).fill('not the password')
  await page.keyboard.press('Enter')
  await tab.check('wrong password', dialog().getByText(confirm.confirmWrong))
})

// Each screen says these with the same words.
test('a screen says why it cannot be read, that it is not current, and that its login has ended', async () => {
  const said = (text: string) => main().getByText(text)
  service.answer('listTransactions', { error: 'rate_limited', retryAfter: 5 })
  await open('payments')
  await tab.check('too many', said(texts.tooMany))
  service.answer('listTransactions', { error: 'unavailable' })
  await forwardUntil(page, said(texts.unavailable))
  await tab.check('unavailable', said(texts.unavailable))
  service.answer('listTransactions', 'lost')
  await forwardUntil(page, said(texts.offline))
  await tab.check('offline', said(texts.offline))
  service.usual('listTransactions')
  await forwardUntil(page, main().locator('tbody tr'))

  const leave = page.getByRole('navigation', { name: texts.navigation }).getByRole('link', { name: texts.account })
  const comeBackLater = async () => {
    await leave.click()
    await page.getByRole('heading', { level: 1, name: texts.account }).waitFor()
    await page.clock.fastForward(11_000)
    await page.goBack()
  }
  service.answer('listTransactions', { error: 'internal_error' })
  await comeBackLater()
  await tab.check('not current', said(texts.notCurrent))
  service.answer('listTransactions', { error: 'unauthorized' })
  service.answer('refreshBrowserLogin', { error: 'unauthorized' })
  await comeBackLater()
  await tab.check('login ended', page.getByLabel(login.password))
})

test('an object that is not there is not found', async () => {
  service.answer('getTransaction', { error: 'not_found' })
  await open(payment)
  await tab.check('not found', main().getByText(texts.notFound))
})

test('a user who is not there is warned, and then has to log in again', async () => {
  await open('payments')
  await main().locator('tbody tr').first().waitFor()
  await page.clock.fastForward(29 * 60_000)
  await forwardUntil(page, page.getByText(texts.endsSoon))
  await tab.check('warned', page.getByText(texts.endsSoon))
  await page.clock.fastForward(60_000)
  const end = page.getByRole('dialog').getByText(login.reasons.idle)
  await forwardUntil(page, end)
  await tab.check('ended', end)
})
