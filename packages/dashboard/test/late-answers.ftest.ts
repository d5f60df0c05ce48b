import type { Page } from 'playwright-core'
import { keysTexts } from '../src/text/keys-texts.ts'
import { overlayTexts } from '../src/text/overlay-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { webhooksTexts } from '../src/text/webhooks-texts.ts'
import { type DashboardTab, forwardUntil } from './dashboard-tab.ts'
import { requestId, type ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId } from './service-answers.ts'

const { es: shell } = shellTexts
const { es: overlays } = overlayTexts
const { es: keys } = keysTexts
const { es: webhooks } = webhooksTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(opened => {
  ;({ service, tab, page } = opened)
})

const dialog = () => page.getByRole('dialog')
const pathOf = () => new URL(page.url()).pathname.replace(`/dashboard/${merchantId}`, '')

async function open(path: string): Promise<void> {
  await page.goto(`${service.origin}/dashboard/${merchantId}${path}`)
  await page.locator('main tbody tr').first().waitFor()
}

/** Puts a text into the palette, as a paste does. */
async function paste(text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await dialog().getByLabel(shell.find).waitFor()
  await page.keyboard.insertText(text)
}

test.each(['Escape', 'Backspace'])('after Enter in the palette, %s ends the search for a payment', async key => {
  service.answer('listTransactions', 'held')
  await open('/keys')
  await paste('A-1042')
  const asked = page.waitForRequest(/\/api\/transactions\?.*limit=2/)
  await page.keyboard.press('Enter')
  const request = await asked
  const ended = page.waitForEvent('requestfailed', failed => failed === request)
  await page.keyboard.press(key)
  await ended
  service.usual('listTransactions')
  if (key === 'Escape') await dialog().waitFor({ state: 'detached' })
  else await dialog().getByRole('group', { name: shell.payments }).waitFor()
  expect(pathOf()).toBe('/keys')
})

test('four digits that end no card are searched for in the texts of payments', async () => {
  service.answer('listTransactions', { body: { ...answerOf('listTransactions'), data: [], count: 0 } })
  await open('/keys')
  await paste('1042')
  const asked = page.waitForRequest(/limit=2.*card_last4=1042/)
  await page.keyboard.press('Enter')
  await asked
  await dialog().waitFor({ state: 'detached' })
  expect([pathOf(), new URL(page.url()).search]).toEqual(['/payments', '?search=1042'])
})

test('the palette opens what was chosen, also after more was found before it', async () => {
  service.answer('listTransactions', 'held')
  await open('/keys')
  await paste('A-1042')
  const session = dialog().getByRole('group', { name: shell.sessions }).getByRole('option').first()
  await session.waitFor()
  await page.keyboard.press('ArrowDown')
  const isChosen = () => session.getAttribute('aria-selected')
  expect(await isChosen()).toBe('true')
  service.usual('listTransactions')
  await dialog().getByRole('group', { name: shell.payments }).waitFor()
  expect(await isChosen()).toBe('true')
  await page.keyboard.press('Enter')
  await dialog().waitFor({ state: 'detached' })
  expect(pathOf()).toMatch(/^\/sessions\/cs_/)
})

test('a call that is not recorded yet is read again, for some seconds', async () => {
  const found = answerOf('listRequests')
  const none = { body: { ...found, data: [], count: 0 } }
  const title = page.locator('main h1')
  const reads = () => service.calls.filter(id => id === 'listRequests').length
  const address = `${service.origin}/dashboard/${merchantId}/requests/${requestId}`
  service.answer('listRequests', none)
  const first = page.waitForResponse(/\/api\/requests\?/)
  await page.goto(address)
  await first
  expect(await page.locator('main').getByText(shell.notFound).count()).toBe(0)
  service.usual('listRequests')
  await forwardUntil(page, title)

  service.answer('listRequests', none)
  const before = reads()
  await page.goto(address)
  const notFound = page.locator('main').getByText(shell.notFound)
  await forwardUntil(page, notFound)
  await tab.check('not found', notFound)
  expect(reads() - before).toBe(5)
})

test('an operator reads that merchants could not be searched', async () => {
  const { data } = answerOf('getMe')
  service.answer('getMe', { body: { data: { ...data, kind: 'operator' } } })
  service.answer('listMerchants', { error: 'unavailable' })
  await open('/keys')
  await page.getByRole('button', { name: data.merchant.name }).click()
  await dialog().getByText(overlays.searchFailed).waitFor()
  await page.keyboard.insertText('Panadería')
  await dialog().getByRole('option').first().waitFor({ state: 'detached' })
  await tab.check('failed', dialog().getByText(overlays.searchFailed))
  expect(await dialog().getByText(overlays.nothing).count()).toBe(0)
})

test('a rotated key is shown until it is stored, although its list has no more room for the old one', async () => {
  const first = answerOf('listApiKeys')
  service.answer('listApiKeys', {
    body: { ...first, data: [{ ...first.data[0], status: 'active', expires_at: null }] },
  })
  await open('/keys')
  service.answer('listApiKeys', { body: { ...first, data: [], count: 0 } })
  const rotate = { name: keys.rotate, exact: true }
  await page.locator('main').getByRole('button', rotate).click()
  await dialog().getByRole('button', rotate).click()
  await tab.check('shown once', dialog().getByText(keys.shownOnce))
  expect(service.calls.filter(id => id === 'listApiKeys')).toHaveLength(1)
  await dialog().getByRole('button', { name: keys.stored }).click()
  await page.locator('main').getByText(keys.empty).waitFor()
})

test('of an endpoint, only what was changed is sent', async () => {
  await open('/webhooks')
  const edit = () => page.locator('main').getByRole('button', { name: webhooks.edit }).first().click()
  const isUpdate = /\/api\/webhooks\/\w+$/
  const save = async () => {
    const sent = page.waitForRequest(request => isUpdate.test(request.url()) && request.method() !== 'GET')
    await dialog().getByRole('button', { name: webhooks.save }).click()
    await dialog().waitFor({ state: 'detached' })
    return (await sent).postDataJSON()
  }
  await edit()
  await dialog().getByLabel(webhooks.url).fill('https://shop.test/new')
  expect(await save()).toEqual({ url: 'https://shop.test/new' })
  await edit()
  const { status } = answerOf('getWebhook').data
  const other = status === 'active' ? 'disabled' : 'active'
  await dialog().getByLabel(webhooks.status).selectOption(other)
  expect(await save()).toEqual({ status: other })
  const updates = () => service.calls.filter(id => id === 'updateWebhook').length
  await edit()
  await dialog().getByLabel(webhooks.url).waitFor()
  await dialog().getByRole('button', { name: webhooks.save }).click()
  await dialog().waitFor({ state: 'detached' })
  expect(updates()).toBe(2)
})
