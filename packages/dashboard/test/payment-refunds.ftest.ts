import type { Page, Request } from 'playwright-core'
import { confirmTexts } from '../src/text/confirm-texts.ts'
import { editTexts } from '../src/text/edit-texts.ts'
import { overlayTexts } from '../src/text/overlay-texts.ts'
import { paymentTexts } from '../src/text/payment-texts.ts'
import { refundsTexts } from '../src/text/refunds-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { type DashboardTab, forwardUntil } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId } from './service-answers.ts'

const { es: texts } = paymentTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(opened => {
  ;({ service, tab, page } = opened)
})

const { data } = answerOf('getTransaction')
const approved = {
  ...{ status: 'approved', decline_reason: null, payment_method: 'card', manual_refund: false },
  ...{ refund_id: null, refund_status: null, refund_requested_at: null, refunded_at: null },
}
const processing = { refund_status: 'processing', refund_requested_at: '2026-06-19T06:00:00.000Z' }

const main = () => page.locator('main')
const dialog = () => page.getByRole('dialog')
const button = () => main().getByRole('button', { name: texts.refund, exact: true })
const submit = () => dialog().getByRole('button').last()
const reads = () => service.calls.filter(id => id === 'getTransaction').length

/** Answers reads of the payment with one that differs in some fields from an approved card payment. */
const answerWith = (fields: object) =>
  service.answer('getTransaction', { body: { data: { ...data, ...approved, ...fields } } })

async function open(fields: object = {}): Promise<void> {
  answerWith(fields)
  await page.goto(`${service.origin}/dashboard/${merchantId}/payments/${data.id}`)
  await main().locator('h1').waitFor()
}

/** Presses the button of the open dialog, which the API answers as given. */
async function refund(answer: Parameters<ScriptedService['answer']>[1]): Promise<void> {
  service.answer('refundTransaction', answer)
  await submit().click()
}

test.each([
  ['cash', { payment_method: 'cash', card: null }],
  ['processing', processing],
  ['refunded', { status: 'refunded', refund_status: 'completed' }],
  ['chargeback', { status: 'chargeback' }],
] as const)('a captured payment says why it cannot be refunded: %s', async (obstacle, fields) => {
  await open(fields)
  const reason = texts.refundObstacles[obstacle]
  await tab.check('unavailable', main().getByText(reason))
  expect(await button().isDisabled()).toBe(true)
  await page.keyboard.press('r')
  // No key does anything while a dialog is open.
  await page.keyboard.press('?')
  await dialog().getByText(overlayTexts.es.keysTitle).waitFor()
})

test('a payment that took no money offers no refund', async () => {
  for (const status of ['pending', 'declined', 'failed', 'expired', 'cancelled']) {
    await open({ status })
    await main()
      .getByText(texts.sentences[status as 'pending'])
      .waitFor()
    expect(await button().count()).toBe(0)
  }
})

test('a refund whose answer is lost may be sent again, under the same key', async () => {
  const keys: (string | undefined)[] = []
  const note = (request: Request) => {
    if (request.method() === 'POST' && request.url().endsWith('/refund'))
      keys.push(request.headers()['idempotency-key'])
  }
  page.on('request', note)
  await open()
  await button().click()
  await refund('lost')
  await tab.check('unclear', dialog().getByText(texts.refundUnclear))
  await refund({ error: 'unavailable', detail: 'try again later' })
  await dialog().getByText(`${texts.refundUnclear} unavailable try again later`).waitFor()
  service.usual('refundTransaction')
  await submit().click()
  await dialog().waitFor({ state: 'detached' })
  page.off('request', note)
  expect([keys.length, new Set(keys).size, keys.includes(undefined)]).toEqual([3, 1, false])
})

test('a refund whose answer is lost, but which the payment has, needs no other press', async () => {
  await open()
  await button().click()
  answerWith(processing)
  await refund('lost')
  await dialog().waitFor({ state: 'detached' })
  await tab.check('requested', main().getByText(texts.refundSentences.processing))
})

test.each([
  ['forbidden', 'the access support refunds up to 500.00 MXN'],
  ['conflict', 'a refund is being processed'],
] as const)('a refund that is rejected as %s says why in its dialog', async (error, detail) => {
  await open()
  await button().click()
  const isChanged = error === 'conflict'
  if (isChanged) answerWith(processing)
  await refund({ error, detail })
  await tab.check('rejected', dialog().getByText(`${texts.refundFailed} ${error} ${detail}`))
  // The payment is read again, and the dialog still says why.
  if (isChanged) await main().getByText(texts.refundSentences.processing).waitFor()
  expect(await dialog().getByText(detail).isVisible()).toBe(true)
})

test('a payment whose refund a person has to transfer says so, and is read once a minute', async () => {
  const fact = (name: string) => main().locator('dl div').filter({ hasText: name })
  await open({ ...processing, manual_refund: true })
  await tab.check('by hand', main().getByText(texts.refundSentences.manual))
  await main().getByText(refundsTexts.es.manual, { exact: true }).waitFor()
  await fact(`${texts.names.refundRequested}19 jun 2026`).waitFor()
  expect(await fact(texts.names.refundCompleted).count()).toBe(0)
  const before = reads()
  await page.clock.runFor(20_000)
  expect(reads()).toBe(before)

  const completed = { refund_status: 'completed', refunded_at: '2026-06-20T06:00:00.000Z' }
  answerWith({ ...processing, ...completed, status: 'refunded' })
  await forwardUntil(page, main().getByText(texts.sentences.refunded))
  await fact(`${texts.names.refundCompleted}20 jun 2026`).waitFor()
})

test('an open dialog of a payment ends with its address, also where another payment is shown at once', async () => {
  await open({ reference: 'the first' })
  await main().getByText('the first', { exact: true }).waitFor()
  answerWith({ reference: 'the other' })
  // The router follows what is pushed, as it follows its own links.
  const address = `/dashboard/${merchantId}/payments/${data.id.slice(0, -1)}z`
  await page.evaluate(other => history.pushState({}, '', other), address)
  for (const name of [texts.refund, editTexts.es.edit]) {
    await main().getByText('the other', { exact: true }).waitFor()
    await main().getByRole('button', { name, exact: true }).click()
    await dialog().waitFor()
    await page.goBack()
    await main().getByText('the first', { exact: true }).waitFor({ state: 'attached' })
    expect(await dialog().count()).toBe(0)
    await page.goForward()
  }
  expect(service.calls).not.toContain('refundTransaction')
})

test('a press that failed leaves the focus on its button, for the next key', async () => {
  await open()
  await button().click()
  await refund('held')
  await dialog().locator('button[disabled]').first().waitFor()
  service.answer('refundTransaction', { error: 'internal_error', detail: 'try again later' })
  await dialog().getByText('internal_error try again later').waitFor()
  await submit().and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
})

test('a dialog stays open while its call runs, and says that it failed', async () => {
  const cancel = dialog().getByRole('button', { name: shellTexts.es.cancel })
  await open()
  await button().click()
  await refund('held')
  await dialog().locator('button[disabled]').first().waitFor()
  expect([await cancel.isDisabled(), await submit().isDisabled()]).toEqual([true, true])
  await page.mouse.click(5, 5)
  service.answer('refundTransaction', { error: 'confirmation_required' })
  await dialog().getByText(confirmTexts.es.confirmText).waitFor()

  service.answer('confirmLogin', 'held')
  await dialog().getByLabel(confirmTexts.es.password).fill('correct horse battery')
  // From the field, which keeps the focus.
  await page.keyboard.press('Enter')
  await dialog().locator('button[disabled]').first().waitFor()
  expect(await cancel.isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  service.answer('confirmLogin', { error: 'internal_error', detail: 'try again later' })
  await tab.check('failed', dialog().getByText(`${confirmTexts.es.failed} internal_error try again later`))
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
})
