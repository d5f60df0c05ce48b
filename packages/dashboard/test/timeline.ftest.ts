import type { Page } from 'playwright-core'
import { eventTexts } from '../src/text/event-texts.ts'
import { paymentTexts } from '../src/text/payment-texts.ts'
import { timelineTexts } from '../src/text/timeline-texts.ts'
import { webhooksTexts } from '../src/text/webhooks-texts.ts'
import { type DashboardTab, forwardUntil } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId, permissionsWithout } from './service-answers.ts'

const { es: texts } = paymentTexts
const { es: names } = eventTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(opened => {
  ;({ service, tab, page } = opened)
})

const example = answerOf('getLifecycle').data[0]
const startMs = Date.parse('2026-06-19T05:59:00.000Z')
const session = 'cs_01kdvc4x2m8p6q7r9s0t1v2w3x'

/** Something that happened as many seconds after the start. */
function recordAt(second: number, fields: object): any {
  const id = `evt_01kdvc4x2m8p6q7r9s0t${String(second).padStart(6, '0')}`
  const nothing = { request_id: null, method: null, path: null, status_code: null, duration_ms: null, metadata: null }
  const money = { amount_cents: null, currency: null }
  const occurred_at = new Date(startMs + second * 1_000).toISOString()
  return { ...example, ...nothing, ...money, id, occurred_at, target_id: session, actor_type: 'payer', ...fields }
}

const requestOf = (number: number) => `req_01kdvc4x2m8p6q7r9s0t1v2w${number}x`
const callAt = (second: number, request: number, path: string, status_code: number, fields: object = {}) =>
  recordAt(second, {
    ...{ action: 'http.request', request_id: requestOf(request), method: 'POST', path, status_code, duration_ms: 84 },
    ...fields,
  })
const money = { amount_cents: 25_000, currency: 'MXN' }
const pay = `/hosted/v1/checkout/${session}/payments`
const shownPay = '/hosted/v1/checkout/cs_01kd…2w3x/payments'
const refund = '/api/transactions/txn_01kdvc4x2m8p6q7r9s0t1v2w3x/refund'
const shownRefund = '/api/transactions/txn_01kd…2w3x/refund'

/** A payment that was declined, approved with another card, delivered at the second try, and refunded. */
const lifecycle = [
  callAt(0, 1, '/checkout/v1/sessions', 201, { actor_type: 'key' }),
  recordAt(1, { action: 'checkout_session.created', request_id: requestOf(1), ...money }),
  recordAt(2, { action: 'checkout_session.viewed', request_id: requestOf(2) }),
  callAt(3, 3, pay, 402),
  recordAt(4, { action: 'payment.attempted', request_id: requestOf(3), ...money }),
  recordAt(5, {
    ...{ action: 'payment.declined', request_id: requestOf(3), ...money },
    metadata: { decline_reason: 'insufficient_funds' },
  }),
  callAt(6, 4, pay, 201),
  recordAt(7, { action: 'payment.attempted', request_id: requestOf(4), ...money }),
  recordAt(8, { action: 'payment.approved', request_id: requestOf(4), ...money }),
  recordAt(9, { action: 'webhook.attempt_failed', metadata: { error: 'connection_refused', duration_ms: 3 } }),
  recordAt(10, { action: 'webhook.delivered', metadata: { response_status: 200, duration_ms: 120 } }),
  callAt(11, 5, refund, 409, { actor_type: 'client' }),
  callAt(12, 6, refund, 202, { actor_type: 'client' }),
  recordAt(13, { action: 'payment.refund_requested', request_id: requestOf(6), ...money }),
  recordAt(14, { action: 'payment.refunded', ...money }),
]

const bodyOf = (data: object[]) => ({ ...answerOf('getLifecycle'), data, count: null })
const rows = () => page.getByRole('region', { name: texts.timeline }).getByRole('listitem')

async function open(status = 'refunded'): Promise<void> {
  const { data } = answerOf('getTransaction')
  service.answer('getTransaction', { body: { data: { ...data, status } } })
  await page.goto(`${service.origin}/dashboard/${merchantId}/payments/${data.id}`)
}

test('a timeline says what happened by the second, for how much, why, and by which call', async () => {
  service.answer('getLifecycle', { body: bodyOf(lifecycle) })
  await open()
  await tab.check('timeline', rows().nth(10))
  const said = (await rows().allInnerTexts()).map(text => text.split(/\s*\n\s*/).join(' | '))
  expect(said).toEqual([
    `18 jun 2026, 23:59:01 | ${names['checkout_session.created']} | POST /checkout/v1/sessions → 201 · 84 ms`,
    `18 jun 2026, 23:59:02 | ${names['checkout_session.viewed']}`,
    `18 jun 2026, 23:59:04 | ${names['payment.attempted']} | POST ${shownPay} → 402 · 84 ms`,
    `18 jun 2026, 23:59:05 | ${names['payment.declined']} | Fondos insuficientes`,
    `18 jun 2026, 23:59:07 | ${names['payment.attempted']} | POST ${shownPay} → 201 · 84 ms`,
    `18 jun 2026, 23:59:08 | ${names['payment.approved']} | $250.00 MXN`,
    `18 jun 2026, 23:59:09 | ${names['webhook.attempt_failed']} | ${timelineTexts.es.errors.connection_refused} · 3 ms`,
    `18 jun 2026, 23:59:10 | ${names['webhook.delivered']} | 200 · 120 ms`,
    `18 jun 2026, 23:59:11 | POST ${shownRefund} → 409 · 84 ms`,
    `18 jun 2026, 23:59:13 | ${names['payment.refund_requested']} | POST ${shownRefund} → 202 · 84 ms`,
    `18 jun 2026, 23:59:14 | ${names['payment.refunded']} | $250.00 MXN`,
  ])
})

test('the newest events are there, however many came before', async () => {
  const views = Array.from({ length: 200 }, (_, second) => recordAt(second, { action: 'checkout_session.viewed' }))
  const asked = page.waitForRequest(/\/api\/lifecycles\/\w+\?.*kind=event%2Cwrite/)
  service.answer('getLifecycle', {
    pages: [bodyOf(views), bodyOf([recordAt(300, { action: 'payment.approved', ...money })])],
  })
  await open()
  await asked
  await tab.check('two pages', rows().filter({ hasText: names['payment.approved'] as string }))
  expect(await rows().count()).toBe(201)
})

test('what comes later moves nothing that is above it', async () => {
  service.answer('getLifecycle', { body: bodyOf(lifecycle.slice(0, 8)) })
  await open('pending')
  await rows().nth(4).waitFor()
  const places = () => rows().evaluateAll(all => all.slice(0, 5).map(row => row.getBoundingClientRect().y))
  const before = await places()
  service.answer('getLifecycle', { body: bodyOf(lifecycle) })
  await forwardUntil(page, rows().filter({ hasText: names['payment.refunded'] as string }))
  expect(await places()).toEqual(before)
})

test('a delivery that is sent again is shown, also of a payment that has come to its end', async () => {
  const deliveries = answerOf('listWebhookDeliveries')
  const delivery = { ...deliveries.data[0], status: 'succeeded' }
  service.answer('listWebhookDeliveries', { body: { ...deliveries, data: [delivery] } })
  service.answer('getLifecycle', { body: bodyOf(lifecycle) })
  await open()
  await rows().nth(10).waitFor()
  // Once read as often as a payment that has just changed, it is read no more.
  const reads = () => service.calls.filter(id => id === 'getLifecycle').length
  for (let tries = 0; reads() < 4 && tries < 100; tries++) {
    const read = page.waitForResponse(/\/api\/lifecycles\//)
    await page.clock.runFor(2_000)
    await read
  }
  await page.clock.runFor(10_000)
  expect(reads()).toBe(4)

  const { resend } = webhooksTexts.es.deliveries
  const sent = page.waitForResponse(/\/redeliver$/)
  await page.getByRole('button', { name: resend }).first().click()
  await sent
  const delivered = recordAt(60, { action: 'webhook.delivered', metadata: { response_status: 200, duration_ms: 90 } })
  service.answer('getLifecycle', { body: bodyOf([...lifecycle, delivered]) })
  await forwardUntil(page, rows().filter({ hasText: '200 · 90 ms' }))
})

test('nothing leads to what the user may not see', async () => {
  const { data } = answerOf('getMe')
  service.answer('getMe', { body: { data: { ...data, permissions: permissionsWithout('getWebhookDelivery') } } })
  const delivery = { target_id: 'whd_01kdvc4x2m8p6q7r9s0t1v2w3x', metadata: { response_status: 200, duration_ms: 120 } }
  service.answer('getLifecycle', { body: bodyOf([recordAt(1, { action: 'webhook.delivered', ...delivery })]) })
  await open()
  const row = rows().filter({ hasText: names['webhook.delivered'] as string })
  await row.waitFor()
  expect(await row.getByRole('link').count()).toBe(0)
  service.usual('getMe')
  await open()
  await row.getByRole('link').waitFor()
})

test('disputes that cannot be read hold no timeline back while they are repeated', async () => {
  service.answer('getLifecycle', { body: bodyOf(lifecycle) })
  service.answer('listDisputes', { error: 'unavailable' })
  await open()
  await rows().first().waitFor()
  service.answer('listDisputes', 'held')
  const repeated = page.waitForRequest(/\/api\/disputes\?/)
  await page.clock.fastForward(70_000)
  await repeated
  await page.clock.runFor(1_000)
  expect(await rows().first().isVisible()).toBe(true)
})

test('a payment that changes keeps its timeline in view while its disputes are read again', async () => {
  service.answer('getLifecycle', { body: bodyOf(lifecycle) })
  await open('pending')
  await rows().first().waitFor()
  const { data } = answerOf('getTransaction')
  service.answer('listDisputes', 'held')
  service.answer('getTransaction', { body: { data: { ...data, status: 'approved' } } })
  const read = page.waitForRequest(/\/api\/disputes\?/)
  await page.clock.fastForward(60_000)
  await read
  await page.clock.runFor(1_000)
  expect(await rows().first().isVisible()).toBe(true)
})
