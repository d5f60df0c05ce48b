import type { Locator, Page } from 'playwright-core'
import { confirmTexts } from '../src/text/confirm-texts.ts'
import { keysTexts } from '../src/text/keys-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { webhooksTexts } from '../src/text/webhooks-texts.ts'
import type { DashboardTab } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId, permissionsWithout } from './service-answers.ts'

const { es: shell } = shellTexts
const { es: confirm } = confirmTexts
const { es: keys } = keysTexts
const { es: webhooks } = webhooksTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(opened => {
  ;({ service, tab, page } = opened)
})

const dialog = () => page.getByRole('dialog')
/** A button of the screen. That of a row is what the list shows of it. */
const button = (name: string) => page.locator('main').getByRole('button', { name, exact: true })
const submit = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
const box = (group: string, name: string) => dialog().getByRole('group', { name: group }).getByLabel(name)
/** What the browser says of a field that cannot be sent so. */
const saidOf = (field: Locator) => field.evaluate(one => (one as HTMLInputElement).validationMessage)

async function open(path: string): Promise<void> {
  await page.goto(`${service.origin}/dashboard/${merchantId}${path}`)
  await page.locator('main h1').waitFor()
}

/** Presses what sends a form, and returns the body of its call. */
async function sentBy(name: string): Promise<unknown> {
  const sent = page.waitForRequest(request => !['GET', 'HEAD'].includes(request.method()))
  await submit(name)
  return (await sent).postDataJSON()
}

/** Answers with permissions that lack some. */
function forbid(...some: string[]): void {
  const { data } = answerOf('getMe')
  service.answer('getMe', { body: { data: { ...data, permissions: permissionsWithout(...some) } } })
}

test('a rotated secret is shown until it is stored, after a confirmation where the API asks for one', async () => {
  await open('/webhooks')
  await button(webhooks.rotate).click()
  await tab.check('what happens', dialog().getByText(webhooks.rotateText))
  service.answer('rotateWebhookSecret', { error: 'confirmation_required' })
  // The token of the example cannot be sent: it has an ellipsis.
  service.answer('confirmLogin', { body: { ...answerOf('confirmLogin'), token: 'eyJhbGciOiJFZERTQSI' } })
  await submit(webhooks.rotate)
  await dialog().getByLabel(confirm.password).fill('correct horse battery')
  service.usual('rotateWebhookSecret')
  await submit(confirm.confirm)
  await tab.check('shown once', dialog().getByText(answerOf('rotateWebhookSecret').secret, { exact: true }))
  await dialog().getByText('verifyWebhook(rawBody').waitFor()
  await page.keyboard.press('Escape')
  await dialog().getByRole('button', { name: webhooks.copySecret }).waitFor()
  await submit(webhooks.stored)
  await dialog().waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(answerOf('rotateWebhookSecret').secret)
})

test('an endpoint is deleted once that is confirmed', async () => {
  await open('/webhooks')
  await button(webhooks.deleteEndpoint).click()
  await tab.check('deletes', dialog().getByText(webhooks.deleteText))
  service.answer('listWebhooks', { body: { ...answerOf('listWebhooks'), data: [], count: 0 } })
  await submit(webhooks.deleteEndpoint)
  await page.locator('main').getByText(webhooks.empty).waitFor()
  expect(service.calls).toContain('deleteWebhook')
})

test('a new endpoint receives all events, or those that are chosen', async () => {
  const [url, secret] = ['https://shop.test/hooks', answerOf('createWebhook').secret]
  const fill = async () => {
    await button(webhooks.newEndpoint).click()
    await dialog().getByLabel(webhooks.url).fill(url)
  }
  await open('/webhooks')
  await fill()
  expect(await sentBy(webhooks.create)).toEqual({ url, events: ['*'] })
  await tab.check('secret', dialog().getByText(secret, { exact: true }))
  await dialog().getByText('verifyWebhook(rawBody').waitFor()
  await submit(webhooks.stored)

  service.answer('getEventCatalog', { error: 'internal_error' })
  await fill()
  const choice = dialog().getByLabel(webhooks.events)
  await choice.selectOption('chosen')
  await tab.check('no catalog', dialog().getByText('internal_error'))
  await submit(webhooks.create)
  expect(await saidOf(choice)).toBe(webhooks.noEvents)
  expect(service.calls.filter(id => id === 'createWebhook')).toHaveLength(1)
  service.usual('getEventCatalog')
  await submit(shell.retry)
  const approved = box(webhooks.chosenEvents, 'payment.approved')
  await tab.check('catalog', approved)
  expect(await saidOf(choice)).toBe(webhooks.noEvents)
  await approved.check()
  expect(await saidOf(choice)).toBe('')
  expect(await sentBy(webhooks.create)).toEqual({ url, events: ['payment.approved'] })
})

test('of the events of an endpoint, only a change is sent', async () => {
  await open('/webhooks')
  await button(webhooks.edit).click()
  const approved = box(webhooks.chosenEvents, 'payment.approved')
  await approved.uncheck()
  await approved.check()
  await submit(webhooks.save)
  await dialog().waitFor({ state: 'detached' })
  expect(service.calls).not.toContain('updateWebhook')
  await button(webhooks.edit).click()
  await dialog().getByLabel(webhooks.events).selectOption('all')
  expect(await sentBy(webhooks.save)).toEqual({ events: ['*'] })
})

test('deliveries are resent all at once where the operation can send just those that are shown', async () => {
  const { resendAll, resendNeeds } = webhooks.deliveries
  const { data } = answerOf('getWebhookDelivery')
  const ended = `webhook_id=${data.webhook_id}&status=exhausted`
  for (const search of ['', `?${ended}&search=ord-1`, `?webhook_id=${data.webhook_id}&status=pending`]) {
    await open(`/deliveries${search}`)
    await tab.check('not now', page.getByText(resendNeeds))
    expect(await button(resendAll).isDisabled()).toBe(true)
  }
  await open(`/deliveries?${ended}`)
  await button(resendAll).click()
  await dialog().getByText(webhooks.deliveries.statuses.exhausted).waitFor()
  expect(await page.getByText(resendNeeds).count()).toBe(0)
  // Without a first day, the list shows all of them.
  const { matched } = answerOf('redeliverToWebhook').data
  expect(await sentBy(webhooks.deliveries.resendConfirm(matched))).toMatchObject({
    ...{ status: 'exhausted', from: '1970-01-01T00:00:00.000Z' },
  })
})

test('the deliveries of an endpoint show how it went, and stay where they are meanwhile', async () => {
  const { health } = webhooks.deliveries
  const { data } = answerOf('getWebhookReport')
  const { webhook_id } = answerOf('getWebhookDelivery').data
  const panel = page.getByRole('region', { name: health, exact: true })
  const list = page.locator('main section table')
  const numbers = panel.locator('dd')
  service.answer('getWebhookReport', 'held')
  await open(`/deliveries?webhook_id=${webhook_id}`)
  await list.waitFor()
  await tab.check('loading', numbers.getByText('…'))
  const place = await list.boundingBox()
  service.answer('getWebhookReport', { error: 'internal_error' })
  await panel.getByRole('alert').getByText(shell.failed).waitFor()
  expect(await list.boundingBox()).toEqual(place)

  const totals = { ...data.totals, succeeded: 1204, failed: 7, p50_ms: 85, p95_ms: null }
  service.answer('getWebhookReport', { body: { data: { ...data, totals, pending: 3 } } })
  await panel.getByRole('button', { name: shell.retry }).click()
  await tab.check('health', numbers.getByText('1,204'))
  expect(await numbers.allTextContents()).toEqual(['1,204', '7', '85 ms', '–', '3'])
  expect(await list.boundingBox()).toEqual(place)

  await open('/deliveries')
  await list.waitFor()
  expect(await panel.count()).toBe(0)
})

test('what cannot be done says why, in the words of the API', async () => {
  const { resendAll, resend } = webhooks.deliveries
  const { data } = answerOf('getWebhookDelivery')
  const detail = 'this webhook is disabled'
  for (const id of ['redeliverToWebhook', 'redeliverWebhook', 'testWebhook'])
    service.answer(id, { error: 'conflict', detail })
  await open(`/deliveries?webhook_id=${data.webhook_id}&status=exhausted`)
  await button(resendAll).click()
  await tab.check('not counted', dialog().getByRole('alert').getByText(detail))
  await submit(shell.cancel)
  await dialog().waitFor({ state: 'detached' })

  service.answer('getWebhookDelivery', { body: { data: { ...data, status: 'exhausted' } } })
  await open(`/deliveries/${data.id}`)
  await button(resend).click()
  await page.getByRole('alert').getByText(detail).waitFor()

  await open('/webhooks')
  await button(webhooks.sendTest).first().click()
  await page.getByRole('alert').getByText(detail).waitFor()
})

test('a delivery that waits is cancelled, and one that has ended is not', async () => {
  const { data } = answerOf('getWebhookDelivery')
  const { cancelling } = webhooks.deliveries
  const shown = (status: string) => service.answer('getWebhookDelivery', { body: { data: { ...data, status } } })
  shown('pending')
  await open(`/deliveries/${data.id}`)
  await button(cancelling.submit).click()
  await tab.check('cancels', dialog().getByText(cancelling.text))
  service.answer('cancelWebhookDelivery', { error: 'conflict' })
  await submit(cancelling.submit)
  await dialog().getByRole('alert').getByText(cancelling.failed).waitFor()
  service.usual('cancelWebhookDelivery')
  shown('cancelled')
  expect(await sentBy(cancelling.submit)).toEqual({ status: 'cancelled' })
  await page.getByText(webhooks.deliveries.sentences.cancelled).waitFor()
  expect(await button(cancelling.submit).count()).toBe(0)
})

test('a new key may do everything, read, or what is chosen, and works from the named addresses', async () => {
  const fill = async (access: string) => {
    await button(keys.newKey).click()
    await dialog().getByLabel(keys.name).fill('tienda')
    await dialog().getByLabel(keys.access).selectOption(access)
  }
  await open('/keys')
  await fill('all')
  expect(await sentBy(keys.create)).toEqual({ name: 'tienda', scopes: null, allowed_ips: null })
  await submit(keys.stored)
  await fill('chosen')
  await tab.check('scopes', dialog().getByText(keys.scopesHint))
  expect(await saidOf(dialog().getByRole('checkbox').first())).toBe(keys.noScopes)
  await submit(keys.create)
  expect(service.calls.filter(id => id === 'createApiKey')).toHaveLength(1)
  await box(keys.groups.checkout, keys.verbs.write).check()
  await box(keys.groups.requests, keys.verbs.read).check()
  await dialog().getByLabel(keys.addressesOptional).fill('203.0.113.7, 198.51.100.0/24')
  expect(await sentBy(keys.create)).toEqual({
    ...{ name: 'tienda', scopes: ['checkout:write', 'requests:read'] },
    allowed_ips: ['203.0.113.7/32', '198.51.100.0/24'],
  })
})

test('a key cannot do more than the user who makes it', async () => {
  forbid('refundTransaction', 'updateDispute')
  await open('/keys')
  await button(keys.newKey).click()
  const choices = dialog().getByLabel(keys.access).getByRole('option')
  expect(await choices.allTextContents()).toEqual([keys.accesses.read, keys.accesses.chosen])
  await dialog().getByLabel(keys.access).selectOption('chosen')
  await box(keys.groups.transactions, keys.verbs.read).waitFor()
  expect(await box(keys.groups.transactions, keys.verbs.write).count()).toBe(0)
})

test('the list of keys names the scopes and addresses of each', async () => {
  await open('/keys')
  await button(`${keys.someAccess(2)} · ${keys.someAddresses(1)}`).click()
  await tab.check('access', dialog().getByText(keys.groups.checkout))
  await dialog().getByText(`${keys.verbs.read}, ${keys.verbs.write}`).waitFor()
  await dialog().getByText('203.0.113.0/24').waitFor()
})

test('a key says until when it works, and one that has expired is not rotated', async () => {
  const list = answerOf('listApiKeys')
  const key = { ...list.data[0], status: 'active' }
  const show = (change: object) => service.answer('listApiKeys', { body: { ...list, data: [{ ...key, ...change }] } })
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const row = page.locator('main tbody tr')
  show({ expires_at: at(86_400_000) })
  await open('/keys')
  await tab.check('expires', row.getByText(keys.expires))
  await button(keys.rotate).waitFor()

  show({ expires_at: at(-1000) })
  await open('/keys')
  await tab.check('expired', row.getByText(keys.expired, { exact: true }))
  await row.locator('time').first().waitFor()
  expect(await row.getByText(keys.statuses.active, { exact: true }).count()).toBe(0)
  await button(keys.revoke).waitFor()
  expect(await button(keys.rotate).count()).toBe(0)

  show({ status: 'revoked', expires_at: at(-1000) })
  await open('/keys')
  await row.getByText(keys.statuses.revoked, { exact: true }).waitFor()
  expect(await row.getByText(keys.expired, { exact: true }).count()).toBe(0)
})

test('what a user may not do is not offered', async () => {
  forbid('rotateWebhookSecret', 'deleteWebhook', 'cancelWebhookDelivery', 'redeliverToWebhook')
  const { data } = answerOf('getWebhookDelivery')
  service.answer('getWebhookDelivery', { body: { data: { ...data, status: 'pending' } } })
  await open('/webhooks')
  await button(webhooks.edit).waitFor()
  for (const name of [webhooks.rotate, webhooks.deleteEndpoint]) expect(await button(name).count()).toBe(0)
  await open(`/deliveries/${data.id}`)
  await button(webhooks.edit).waitFor()
  expect(await button(webhooks.deliveries.cancelling.submit).count()).toBe(0)
  await open('/deliveries')
  await page.locator('main tbody tr').first().waitFor()
  expect(await button(webhooks.deliveries.resendAll).count()).toBe(0)
})
