import type { Page } from 'playwright-core'
import { overlayTexts } from '../src/text/overlay-texts.ts'
import { paymentTexts } from '../src/text/payment-texts.ts'
import type { DashboardTab } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { merchantId, operationOf, usualAnswer } from './service-answers.ts'

const { es: texts } = paymentTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(opened => {
  ;({ service, tab } = opened)
  page = tab.page
})

const { data } = usualAnswer(operationOf('getTransaction'))
const approved = {
  ...{ status: 'approved', decline_reason: null, payment_method: 'card', manual_refund: false },
  ...{ refund_id: null, refund_status: null, refund_requested_at: null, refunded_at: null },
}
const processing = { refund_status: 'processing', refund_requested_at: '2026-06-19T06:00:00.000Z' }

const main = () => page.locator('main')
const dialog = () => page.getByRole('dialog')
const button = () => main().getByRole('button', { name: texts.refund, exact: true })

/** Answers reads of the payment with one that differs in some fields from an approved card payment. */
const answerWith = (fields: object) =>
  service.answer('getTransaction', { body: { data: { ...data, ...approved, ...fields } } })

async function open(fields: object = {}): Promise<void> {
  answerWith(fields)
  await page.goto(`${service.origin}/dashboard/${merchantId}/payments/${data.id}`)
  await main().locator('h1').waitFor()
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
