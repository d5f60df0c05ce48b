import type { Page, Request } from 'playwright-core'
import { branchesTexts } from '../src/text/branches-texts.ts'
import { editTexts } from '../src/text/edit-texts.ts'
import { keysTexts } from '../src/text/keys-texts.ts'
import { linksTexts } from '../src/text/links-texts.ts'
import { sessionsTexts } from '../src/text/sessions-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { webhooksTexts } from '../src/text/webhooks-texts.ts'
import { details } from './screen-list.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId, operationOf } from './service-answers.ts'

const { es: shell } = shellTexts
const { es: keys } = keysTexts
const { es: webhooks } = webhooksTexts
const { es: links } = linksTexts

let service: ScriptedService
let page: Page
useScriptedTab(opened => {
  ;({ service, page } = opened)
})

const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.locator('main').getByRole('button', { name, exact: true }).first()
const submit = () => dialog().getByRole('button').last()
const pathOf = (name: string) => details.find(one => one.name === name)?.path ?? ''

/** Answers the read of a row or of one object with some fields changed. */
function answerWith(operation: string, fields: object): void {
  const usual = answerOf(operation)
  const { data } = usual
  const body = Array.isArray(data) ? data.map(row => ({ ...row, ...fields })) : { ...data, ...fields }
  service.answer(operation, { body: { ...usual, data: body } })
}

test.each([
  {
    ...{ operation: 'createApiKey', reads: 'listApiKeys', path: 'keys', opens: keys.newKey },
    ...{ fields: { [keys.name]: 'Tienda' }, closes: false },
  },
  { operation: 'rotateApiKey', reads: 'listApiKeys', path: 'keys', opens: keys.rotate, fields: {}, closes: true },
  { operation: 'deleteApiKey', reads: 'listApiKeys', path: 'keys', opens: keys.revoke, fields: {}, closes: false },
  {
    ...{ operation: 'createWebhook', reads: 'listWebhooks', path: 'webhooks', opens: webhooks.newEndpoint },
    ...{ fields: { [webhooks.url]: 'https://shop.test/hooks' }, closes: false },
  },
])('$operation whose answer is lost may have been done, and its list is read again', async action => {
  const { operation, reads, path, opens, fields, closes } = action
  const { method, path: called } = operationOf(operation)
  const isCall = new RegExp(`${called.replaceAll(/:\w+/g, '[^/]+')}$`)
  const sent: (string | undefined)[] = []
  const note = (request: Request) => {
    if (request.method() === method && isCall.test(new URL(request.url()).pathname))
      sent.push(request.headers()['idempotency-key'])
  }
  page.on('request', note)
  if (reads === 'listApiKeys') answerWith(reads, { status: 'active', expires_at: null })
  await page.goto(`${service.origin}/dashboard/${merchantId}/${path}`)
  const open = async () => {
    await button(opens).click()
    await submit().waitFor()
  }
  await open()
  for (const [label, text] of Object.entries(fields)) await dialog().getByLabel(label, { exact: true }).fill(text)
  service.answer(operation, 'lost')
  const { path: listed } = operationOf(reads)
  const read = () => page.waitForRequest(one => one.method() === 'GET' && new URL(one.url()).pathname === listed)
  const done = [...(closes ? [] : [read()]), dialog().getByText(shell.unclear).waitFor(), submit().click()]
  await Promise.all(done)
  if (closes) {
    const later = read()
    await dialog().getByRole('button', { name: shell.cancel }).click()
    await later
    await open()
  }
  service.usual(operation)
  await submit().click()
  await dialog().getByText(shell.unclear).waitFor({ state: 'detached' })
  page.off('request', note)
  expect([sent.length, new Set(sent).size]).toEqual([2, 1])
})

test.each([
  ['keys', keys.rotate],
  ['keys', keys.revoke],
  ['webhooks', webhooks.edit],
  ['webhooks', webhooks.rotate],
  ['webhooks', webhooks.deleteEndpoint],
  [pathOf('link'), editTexts.es.edit],
  [pathOf('link'), links.cancelling.submit],
  [pathOf('session'), sessionsTexts.es.cancelling.submit],
  [pathOf('branch'), branchesTexts.es.edit],
  ['terminals', branchesTexts.es.terminals.unlink],
  [pathOf('delivery'), webhooks.deliveries.cancelling.submit],
])('among all merchants, a dialog names the one that it acts for: %s, %s', async (path, opens) => {
  const login = answerOf('refreshBrowserLogin')
  service.answer('refreshBrowserLogin', { body: { ...login, user: { ...login.user, merchant_id: null } } })
  answerWith('getMe', { kind: 'operator', merchant: null })
  answerWith('listApiKeys', { status: 'active', expires_at: null, merchant_id: merchantId })
  answerWith('getMerchantPaymentLink', { status: 'active' })
  answerWith('getMerchantCheckoutSession', { status: 'pending' })
  answerWith('getWebhookDelivery', { status: 'pending' })
  await page.goto(`${service.origin}/dashboard/all/${path}`)
  await button(opens).click()
  await dialog().getByText(shell.actingFor(merchantId)).waitFor()
})
