import { readdirSync, readFileSync } from 'node:fs'
import { acceptsIdempotencyKey, needsFreshLogin, operations, sdkMethods } from '@cobro/contracts'
import type { Page, Request } from 'playwright-core'
import { accountTexts } from '../src/text/account-texts.ts'
import { branchesTexts } from '../src/text/branches-texts.ts'
import { confirmTexts } from '../src/text/confirm-texts.ts'
import { factorTexts } from '../src/text/factor-texts.ts'
import { keysTexts } from '../src/text/keys-texts.ts'
import { linksTexts } from '../src/text/links-texts.ts'
import { loginTexts } from '../src/text/login-texts.ts'
import { paymentTexts } from '../src/text/payment-texts.ts'
import { sessionsTexts } from '../src/text/sessions-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { webhooksTexts } from '../src/text/webhooks-texts.ts'
import { details } from './screen-list.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId, operationOf } from './service-answers.ts'

const { es: account } = accountTexts
const { es: keys } = keysTexts
const { es: webhooks } = webhooksTexts
const { es: confirm } = confirmTexts
const { es: login } = loginTexts
const { es: factor } = factorTexts
const { es: links } = linksTexts
const { es: sessions } = sessionsTexts
const { es: branches } = branchesTexts
const { es: payment } = paymentTexts

let service: ScriptedService
let page: Page
useScriptedTab(opened => {
  ;({ service, page } = opened)
})

const dialog = () => page.getByRole('dialog')
const pathOf = (name: string) => details.find(one => one.name === name)?.path ?? ''

/** An action of the dashboard that needs a fresh login. The last button of its dialog does it. */
interface Action {
  operation: string
  path: string
  /** The button that opens its dialog. */
  button: string
  /** What to fill in before. */
  fields?: Record<string, string>
  /** The operation that the screen reads, and what it answers so that the action is offered. */
  given?: [operation: string, fields: object]
  /** Whether its dialog has a step before. */
  isSecondStep?: true
}

const ofKey = { path: 'keys', given: ['listApiKeys', { status: 'active', expires_at: null }] } satisfies Partial<Action>
const ofFactor = {
  path: 'account',
  given: ['getFactor', { enabled: false }],
  button: factor.setUp,
} satisfies Partial<Action>

const actions: Action[] = [
  { operation: 'createApiKey', path: 'keys', button: keys.newKey, fields: { [keys.name]: 'Tienda' } },
  { operation: 'rotateApiKey', ...ofKey, button: keys.rotate },
  { operation: 'deleteApiKey', ...ofKey, button: keys.revoke },
  {
    ...{ operation: 'createWebhook', path: 'webhooks', button: webhooks.newEndpoint },
    fields: { [webhooks.url]: 'https://shop.test/hooks' },
  },
  {
    ...{ operation: 'updateWebhook', path: 'webhooks', button: webhooks.edit },
    fields: { [webhooks.url]: 'https://shop.test/other' },
  },
  { operation: 'rotateWebhookSecret', path: 'webhooks', button: webhooks.rotate },
  { operation: 'deleteWebhook', path: 'webhooks', button: webhooks.deleteEndpoint },
  {
    ...{ operation: 'refundTransaction', path: pathOf('payment'), button: payment.refund },
    given: ['getTransaction', { status: 'approved', refund_status: null }],
  },
  {
    ...{ operation: 'deletePaymentLink', path: pathOf('link'), button: links.cancelling.submit },
    given: ['getMerchantPaymentLink', { status: 'active' }],
  },
  {
    ...{ operation: 'deleteCheckoutSession', path: pathOf('session'), button: sessions.cancelling.submit },
    given: ['getMerchantCheckoutSession', { status: 'pending' }],
  },
  { operation: 'unlinkTerminal', path: 'terminals', button: branches.terminals.unlink },
  {
    ...{ operation: 'changePassword', path: 'account', button: account.changePassword },
    fields: { [account.newPassword]: 'another long password' },
  },
  { operation: 'setUpFactor', ...ofFactor },
  { operation: 'confirmFactor', ...ofFactor, fields: { [factor.code]: '492039' }, isSecondStep: true },
]

const submit = () => dialog().getByRole('button').last().click()

/** Answers the read of an action's screen with an object that is in the right state. */
function answerGiven([operation, fields]: [string, object]): void {
  const usual = answerOf(operation)
  const data = Array.isArray(usual.data) ? usual.data.map((row: object) => ({ ...row, ...fields })) : usual.data
  const body =
    data === undefined
      ? { ...usual, ...fields }
      : { ...usual, data: Array.isArray(data) ? data : { ...data, ...fields } }
  service.answer(operation, { body })
}

/** Does an action, which the API refuses because the login is old. */
async function doRefused({ button, fields = {}, isSecondStep }: Action): Promise<void> {
  await page.locator('main').getByRole('button', { name: button, exact: true }).first().click()
  await dialog().getByRole('button').last().waitFor()
  if (isSecondStep) await submit()
  for (const [label, text] of Object.entries(fields)) await dialog().getByLabel(label, { exact: true }).fill(text)
  await submit()
  await dialog().getByText(confirm.confirmText).waitFor()
}

test.each(actions)('$operation asks for a confirmation, and is sent once more, as it was', async action => {
  const { method, path } = operationOf(action.operation)
  const isCall = new RegExp(`${path.replaceAll(/:\w+/g, '[^/]+')}$`)
  const sent: Request[] = []
  const note = (request: Request) => {
    if (request.method() === method && isCall.test(new URL(request.url()).pathname)) sent.push(request)
  }
  page.on('request', note)
  if (action.given) answerGiven(action.given)
  service.answer(action.operation, { error: 'confirmation_required' })
  await page.goto(`${service.origin}/dashboard/${merchantId}/${action.path}`)
  await doRefused(action)
  await dialog().getByRole('button', { name: shellTexts.es.cancel }).click()
  await dialog().waitFor({ state: 'detached' })
  expect([sent.length, service.calls.includes('confirmLogin')]).toEqual([1, false])

  await doRefused(action)
  service.usual(action.operation)
  await dialog().getByLabel(confirm.password).fill('correct horse battery')
  const done = page.waitForResponse(answer => sent.indexOf(answer.request()) === 2)
  await page.keyboard.press('Enter')
  await done
  await dialog().getByText(confirm.confirmText).waitFor({ state: 'detached' })
  page.off('request', note)
  const [, refused, repeated] = sent.map(one => [one.headers()['idempotency-key'], one.url(), one.postData()])
  expect([sent.length, repeated]).toEqual([3, refused])
  expect(repeated?.[0] !== undefined).toBe(acceptsIdempotencyKey(operationOf(action.operation)))
})

const cover = () => page.getByRole('dialog').filter({ hasText: login.reasons.ended })

/** Logs in where the login has ended. */
async function logInAgain(): Promise<void> {
  await cover().waitFor()
  service.usual('refreshBrowserLogin')
  await cover().getByLabel(login.email).fill('ana@example.com')
  await cover().getByLabel(login.password).fill('correct horse battery')
  await page.keyboard.press('Enter')
  await cover().waitFor({ state: 'detached' })
}

test('a confirmation of a login that was ended elsewhere asks for a login, and then does what it was for', async () => {
  const action = actions[0] as Action
  service.answer(action.operation, { error: 'confirmation_required' })
  await page.goto(`${service.origin}/dashboard/${merchantId}/${action.path}`)
  await doRefused(action)
  for (const id of ['confirmLogin', 'refreshBrowserLogin']) service.answer(id, { error: 'unauthorized' })
  await dialog().getByLabel(confirm.password).fill('correct horse battery')
  await page.keyboard.press('Enter')
  await cover().waitFor()
  service.usual(action.operation)
  await logInAgain()
  await dialog().getByText(answerOf(action.operation).key).waitFor()
  expect(service.calls.filter(id => id === 'confirmLogin')).toHaveLength(1)
})

test('a wrong password asks once whether the login goes on, and can be typed again', async () => {
  const action = actions[0] as Action
  service.answer(action.operation, { error: 'confirmation_required' })
  await page.goto(`${service.origin}/dashboard/${merchantId}/${action.path}`)
  await doRefused(action)
  const refreshes = () => service.calls.filter(id => id === 'refreshBrowserLogin').length
  const before = refreshes()
  service.answer('confirmLogin', { error: 'unauthorized' })
  await dialog().getByLabel(confirm.password).fill('not the password')
  await page.keyboard.press('Enter')
  await dialog().getByText(confirm.confirmWrong).waitFor()
  expect([refreshes() - before, service.calls.filter(id => id === 'confirmLogin').length]).toEqual([1, 1])
  for (const id of ['confirmLogin', action.operation]) service.usual(id)
  await dialog().getByLabel(confirm.password).fill('correct horse battery')
  await page.keyboard.press('Enter')
  await dialog().getByText(answerOf(action.operation).key).waitFor()
})

test('a code that removes the second factor is asked for again where the login was ended elsewhere', async () => {
  answerGiven(['getFactor', { enabled: true, required: false }])
  await page.goto(`${service.origin}/dashboard/${merchantId}/account`)
  await page.locator('main').getByRole('button', { name: factor.remove }).click()
  for (const id of ['removeFactor', 'refreshBrowserLogin']) service.answer(id, { error: 'unauthorized' })
  const code = dialog().getByLabel(factor.code, { exact: true })
  await code.fill('492039')
  await page.keyboard.press('Enter')
  await logInAgain()
  expect([await code.inputValue(), await dialog().getByText(factor.wrongCode).count()]).toEqual(['', 0])
  await code.fill('492040')
  await page.keyboard.press('Enter')
  await dialog().getByText(factor.wrongCode).waitFor()
  service.usual('removeFactor')
  await page.keyboard.press('Enter')
  await dialog().waitFor({ state: 'detached' })
})

test('every action of the dashboard that needs a fresh login is among them', () => {
  const folder = new URL('../src/', import.meta.url)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
  const source = names.map(name => readFileSync(new URL(name, folder), 'utf8')).join('\n')
  const isOffered = (id: string) => {
    const method = sdkMethods[id]
    const name = typeof method === 'string' ? method : method?.users
    return name !== undefined && source.includes(`${name.split('.').slice(-2).join('.')}(`)
  }
  const fresh = operations.filter(operation => needsFreshLogin(operation) && isOffered(operation.id))
  // For amounts above a limit alone.
  const expected = [...fresh.map(({ id }) => id), 'refundTransaction']
  expect(actions.map(({ operation }) => operation).toSorted()).toEqual(expected.toSorted())
})
