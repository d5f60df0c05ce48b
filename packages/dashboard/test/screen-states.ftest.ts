import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { listTexts } from '../src/text/list-texts.ts'
import { loginTexts } from '../src/text/login-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { type DashboardTab, forwardUntil, openDashboardTab } from './dashboard-tab.ts'
import { details, lists, screens } from './screen-list.ts'
import { requestId, type ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId, permissionsWithout } from './service-answers.ts'

const { es: texts } = shellTexts
const { es: words } = listTexts
const { es: login } = loginTexts
/** After which what was read is read again when a screen is shown. */
const staleMs = 11_000

let service: ScriptedService
let browser: Browser
/** All tests but those of logins use one tab. */
let tab: DashboardTab
let page: Page
useScriptedTab(opened => {
  ;({ service, browser, tab, page } = opened)
})

const open = (path: string) => page.goto(`${service.origin}/dashboard/${merchantId}/${path}`)
const main = () => page.locator('main')
const said = (text: string) => main().getByText(text)
const retry = () => main().getByRole('button', { name: texts.retry }).first()
const entry = (name: string) => page.getByRole('navigation', { name: texts.navigation }).getByRole('link', { name })

/** Leaves the screen, and comes back to it when what it has read is old. */
async function comeBackLater(): Promise<void> {
  await entry(texts.account).click()
  await page.getByRole('heading', { level: 1, name: texts.account }).waitFor()
  await page.clock.fastForward(staleMs)
  await page.goBack()
}

async function logIn(on: Page): Promise<void> {
  await on.getByLabel(login.email).fill('ana@example.com')
  await on.getByLabel(login.password).fill('correct horse battery')
  await on.keyboard.press('Enter')
}

test.each(screens)('$name says that it loads, and why it cannot', async ({ path, reads, filled }) => {
  const content = page.locator(filled).first()
  service.answer(reads, 'held')
  await open(path)
  await tab.check('loading', main().locator('[aria-busy=true] [class*=bone]'))

  service.answer(reads, { error: 'internal_error' })
  await tab.check('failed', main().getByRole('alert').getByText('internal_error'))
  await said(requestId).first().waitFor()
  await main().getByRole('button', { name: texts.copy }).first().waitFor()

  service.answer(reads, { error: 'rate_limited', retryAfter: 5 })
  await retry().click()
  await tab.check('too many', said(texts.tooMany))
  service.answer(reads, { error: 'unavailable' })
  await forwardUntil(page, said(texts.unavailable))
  await tab.check('unavailable', said(texts.unavailable))
  service.answer(reads, 'lost')
  await forwardUntil(page, said(texts.offline))
  await tab.check('offline', said(texts.offline))
  expect(await content.isVisible()).toBe(false)

  service.usual(reads)
  await forwardUntil(page, content)
  await tab.check('filled', content)
  expect(await main().getByRole('alert').count()).toBe(0)
})

const changing = screens.filter(({ isConstant }) => !isConstant)

test.each(changing)('$name says what is not current, and asks for a login', async ({ path, reads, filled }) => {
  const content = page.locator(filled).first()
  await open(path)
  await content.waitFor()
  service.answer(reads, { error: 'internal_error' })
  await comeBackLater()
  await tab.check('not current', said(texts.notCurrent))
  expect(await content.isVisible()).toBe(true)
  service.usual(reads)
  await retry().click()
  await said(texts.notCurrent).first().waitFor({ state: 'detached' })

  service.answer(reads, { error: 'unauthorized' })
  service.answer('refreshBrowserLogin', { error: 'unauthorized' })
  await comeBackLater()
  await tab.check('login ended', page.getByLabel(login.password))
  service.reset()
  await logIn(page)
  await content.waitFor()
})

test.each(screens)('$name is only for those who may see it', async ({ path, reads, needs, section }) => {
  service.answer(reads, { error: 'forbidden' })
  await open(path)
  await tab.check('refused', said(texts.forbidden))
  expect(await said(texts.retry).count()).toBe(0)

  service.reset()
  const { data } = answerOf('getMe')
  service.answer('getMe', { body: { data: { ...data, permissions: permissionsWithout(...needs) } } })
  await open(path)
  await tab.check('not allowed', said(texts.forbidden))
  await said(needs[0] as string).waitFor()
  expect(service.calls.filter(call => needs.includes(call))).toEqual([])
  if (section) expect(await entry(texts[section]).count()).toBe(0)
})

test.each(lists)('$name says what it will show, and what was looked for', async ({ path, reads }) => {
  service.answer(reads, { body: { ...answerOf(reads), data: [], count: 0 } })
  await open(path)
  await tab.check('first use', main().locator('pre').getByText(`curl`))
  expect(await main().getByText(service.origin).count()).toBe(1)
  expect(await main().locator('[class*=primary]').count()).toBe(1)

  await open(`${path}?search=caf%C3%A9&from=2026-01-31`)
  await tab.check('nothing found', said(words.filteredEmpty))
  await said(`${words.search}: café`).waitFor()
  await said(`${words.from}: 2026-01-31`).waitFor()
  await main().getByRole('button', { name: words.allDays }).click()
  await said(`${words.from}: 2026-01-31`).waitFor({ state: 'detached' })
  service.usual(reads)
  await main().getByRole('button', { name: words.clear }).last().click()
  await main().locator('tbody tr').first().waitFor()
})

test('the moments of an address are shown in the time zone of the user, and give way to days', async () => {
  service.answer('listTransactions', { body: { ...answerOf('listTransactions'), data: [], count: 0 } })
  await open('payments?from=2026-11-03T05:00:00.000Z&to=2026-11-03T05:59:59.999Z')
  await tab.check('moments', said(`${words.from}: 2 nov 2026, 23:00`))
  await said(`${words.to}: 2 nov 2026, 23:59`).waitFor()
  await main().getByRole('combobox', { name: words.from }).selectOption(words.any)
  await page.waitForURL(/\/payments\?to=2026-11-03T05:59:59.999Z$/)
  await main().getByLabel(words.from).fill('2026-11-01')
  await page.waitForURL(/\?to=2026-11-03T05:59:59.999Z&from=2026-11-01$/)
})

test('a day that is chosen is changed with the arrow keys, as often as the user wants', async () => {
  await open('payments')
  await main().getByLabel(words.from).fill('2026-03-01')
  // Months or days, whichever stands first.
  for (const next of ['2026-04-01|2026-03-02', '2026-05-01|2026-03-03']) {
    await page.keyboard.press('ArrowUp')
    await page.waitForURL(new RegExp(`from=(${next})$`))
  }
})

test.each(details)('$name offers to search for what does not exist', async ({ path, reads, name }) => {
  const nothing = { body: { ...answerOf(reads), data: [], count: 0 } }
  service.answer(reads, name === 'request' ? nothing : { error: 'not_found' })
  await open(path)
  await tab.check('not found', said(texts.notFound))
  await main().getByLabel(texts.find).fill('A-1042')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/payments\?search=A-1042$/)
})

test('every route is a screen of these tests', async () => {
  const source = await readFile(new URL('../src/app/routes.tsx', import.meta.url), 'utf8')
  const routes = Array.from(source.matchAll(/ path: '(\w[^']*)'/g), ([, path]) => path)
  const tested = screens.flatMap(({ path }) => (path ? [path.replace(/\/[a-z]+_\w+$/, '/$id')] : []))
  // An address that goes to an id is one without a scope and with one.
  expect(routes.toSorted()).toEqual([...tested, 'account', 'go/$id', 'go/$id'].toSorted())
})

test('nothing is shown for 150 ms, and then a skeleton', async () => {
  service.answer('refreshBrowserLogin', 'held')
  await page.clock.pauseAt(Date.now() + 3_600_000)
  await open('payments')
  const bone = page.locator('[class*=bone]')
  await page.locator('[aria-busy=true][role=status]').waitFor({ state: 'attached' })
  await page.clock.runFor(149)
  expect(await bone.count()).toBe(0)
  await page.clock.runFor(1)
  await bone.first().waitFor()
  await page.clock.resume()
})

test('a call that may succeed in a moment is repeated later and later', async () => {
  service.answer('listTransactions', { error: 'unavailable' })
  await open('payments')
  for (const seconds of [2, 4, 8, 16, 32, 60, 60])
    await forwardUntil(page, main().getByRole('timer').getByText(texts.again(seconds)))
  service.usual('listTransactions')
  await forwardUntil(page, main().locator('tbody tr'))
})

test('account says that it loads, and why it cannot', async () => {
  service.answer('getMe', 'held')
  await open('account')
  await tab.check('loading', main().locator('[aria-busy=true]'))
  service.answer('getMe', { error: 'internal_error' })
  await tab.check('failed', main().getByRole('alert').getByText('internal_error'))
  service.usual('getMe')
  await retry().click()
  await tab.check('filled', said('ana@example.com'))
})

test.each([
  ['the login', { remembersLogin: false }, '[type=password]'],
  ['home', { remembersLogin: true }, 'main dl'],
])('a browser that has nothing yet shows %s after twelve files beside the page', async (_, login, filled) => {
  const cold = await openDashboardTab(browser, service.origin, login)
  const files: string[] = []
  cold.page.on('request', request => {
    if (request.url().startsWith(`${service.origin}/dashboard/assets/`)) files.push(request.url())
  })
  await cold.page.goto(`${service.origin}/dashboard/${merchantId}`)
  await cold.page.locator(filled).first().waitFor()
  // The icon is one more, which is not reported.
  expect(files.length).toBeLessThanOrEqual(11)
  expect(cold.faults).toEqual({})
  await cold.close()
})

test('a user who is away is warned a minute before the end, may stay, and then has to log in', async () => {
  const warning = page.getByText(texts.endsSoon)
  const minutes = (count: number) => page.clock.fastForward(count * 60_000)
  const refreshes = () => service.calls.filter(id => id === 'refreshBrowserLogin').length
  const row = main().locator('tbody tr').first()
  await open('payments')
  await row.waitFor()
  await minutes(28)
  expect(await warning.count()).toBe(0)
  await minutes(1)
  await forwardUntil(page, warning)
  await tab.check('ends soon', warning)
  expect(refreshes()).toBe(1)
  await page.getByRole('button', { name: texts.stay }).click()
  await warning.waitFor({ state: 'detached' })
  expect(refreshes()).toBe(2)
  await minutes(29)
  await forwardUntil(page, warning)
  await minutes(1)
  const end = page.getByRole('dialog').getByText(login.reasons.idle)
  await forwardUntil(page, end)
  await tab.check('ended', end)
  await logIn(page)
  await end.waitFor({ state: 'detached' })
  await row.waitFor()
})

test('a user whose login ends in any case is warned without a way to stay, and then has to log in', async () => {
  const usual = answerOf('refreshBrowserLogin')
  service.answer('refreshBrowserLogin', { body: { ...usual, expires_in: 300, ends_in: 300 } })
  const row = main().locator('tbody tr').first()
  await open('payments')
  await row.waitFor()
  await page.clock.fastForward(4 * 60_000)
  const warning = page.getByText(texts.endsAnyway)
  await forwardUntil(page, warning)
  await tab.check('ends in any case', warning)
  expect(await page.getByRole('button', { name: texts.stay }).count()).toBe(0)
  await page.keyboard.press('Shift')
  expect(service.calls.filter(id => id === 'refreshBrowserLogin')).toHaveLength(1)
  await page.clock.fastForward(60_000)
  const end = page.getByRole('dialog').getByText(login.reasons.ended)
  await forwardUntil(page, end)
  await logIn(page)
  await end.waitFor({ state: 'detached' })
  expect(await warning.count()).toBe(0)
})

test('a logout leaves language and theme in the browser, and nothing of the user', async () => {
  const { data } = answerOf('getPreferences')
  const look = { locale: 'es', theme: 'light', timezone: 'UTC' }
  service.answer('getPreferences', { body: { data: { ...data, ...look } } })
  await open('payments')
  const stored = () => page.evaluate(() => Object.keys(localStorage).toSorted())
  await page.evaluate(() => localStorage.setItem('cobro.scopes.usr_1', '[{"id":"mrc_1","name":"Café Azul"}]'))
  await page.waitForFunction(() => localStorage.getItem('cobro.timezone') === 'UTC')
  const ofBrowser = ['cobro.locale', 'cobro.theme']
  expect(await stored()).toEqual([...ofBrowser, 'cobro.login', 'cobro.scopes.usr_1', 'cobro.timezone'].toSorted())
  await page.getByRole('button', { name: texts.logOut }).click()
  await page.getByText(login.reasons.logged_out).waitFor()
  expect(await stored()).toEqual(ofBrowser)
})

describe('the login', () => {
  let form: DashboardTab
  beforeAll(async () => {
    form = await openDashboardTab(browser, service.origin, { remembersLogin: false })
  })
  beforeEach(() => form.page.goto(`${service.origin}/dashboard/${merchantId}/payments`))
  afterEach(() => expect(form.faults).toEqual({}))

  const shown = (text: string) => form.page.getByText(text)
  const mfa = { error: 'mfa_required', mfa_token: 'token' } as const
  const enter = async (code: string) => {
    await form.page.getByRole('textbox', { name: login.code }).fill(code)
    await form.page.keyboard.press('Enter')
  }

  test('says what was wrong', async () => {
    await form.check('empty', form.page.getByLabel(login.email))
    service.answer('browserLogin', { error: 'unauthorized' })
    await logIn(form.page)
    await form.check('wrong password', shown(login.wrong))
    service.answer('browserLogin', { error: 'rate_limited', retryAfter: 30 })
    await form.page.keyboard.press('Enter')
    await form.check('too many attempts', shown(login.limited(30)))
    service.answer('browserLogin', 'lost')
    await form.page.keyboard.press('Enter')
    await form.check('offline', shown(login.failed))
    service.usual('browserLogin')
    await form.page.keyboard.press('Enter')
    await form.page.locator('main tbody tr').first().waitFor()
  })

  test('asks for the code of a second factor', async () => {
    service.answer('browserLogin', mfa)
    await logIn(form.page)
    await form.check('code', shown(login.codeHint))
    service.answer('browserLoginWithFactor', { error: 'unauthorized' })
    await enter('123456')
    await form.check('wrong code', shown(login.wrongCode))
    service.usual('browserLoginWithFactor')
    await enter('492039')
    await form.page.locator('main tbody tr').first().waitFor()
  })

  test.each([
    ['code', mfa, login.codeHint],
    ['factor', { ...mfa, mfa_setup: true as const }, login.factorHint],
  ] as const)('asks for the password again where a %s comes after five minutes', async (step, asked, hint) => {
    service.answer('browserLogin', asked)
    await logIn(form.page)
    await shown(hint).waitFor()
    service.answer('browserLoginWithFactor', { error: 'unauthorized' })
    await form.page.clock.fastForward(4 * 60_000)
    await enter('123456')
    await shown(login.wrongCode).waitFor()
    await form.page.clock.fastForward(60_000)
    await enter('123456')
    await form.check(`late ${step}`, form.page.getByRole('alert').getByText(login.late[step]))
    expect(await shown(login.wrongCode).count()).toBe(0)
    service.usual('browserLogin')
    await logIn(form.page)
    await form.page.locator('main tbody tr').first().waitFor()
  })

  test('sets up a second factor, and shows the recovery codes', async () => {
    service.answer('browserLogin', { ...mfa, mfa_setup: true })
    await logIn(form.page)
    await form.check('set-up', shown(login.factorHint))
    const usual = answerOf('browserLoginWithFactor')
    const codes = ['k7pm-q2xr-8hwd', 'm4wz-t9cb-2nfj']
    service.answer('browserLoginWithFactor', { body: { ...usual, recovery_codes: codes } })
    await enter('492039')
    await form.check('recovery codes', shown(codes[1] as string))
    await form.page.getByRole('button', { name: login.stored }).click()
    await form.page.locator('main tbody tr').first().waitFor()
  })
})
