import { payInCash } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
})
afterAll(() => stack?.stop())

const dayMs = 86_400_000
const order = { amount_total: 25_000, return_url: 'https://shop.mx/back', payment_method_types: ['card', 'cash'] }

async function openSession(): Promise<{ id: string; correlation_id: string; merchant_id: string }> {
  return (await clients.merchant.call('POST', '/checkout/v1/sessions', order)).body
}

/** Chooses cash as the page does, and returns the voucher. */
async function voucherFor({ id }: { id: string }): Promise<{ reference: string; barcode: string; due_at: string }> {
  const answer = await payInCash(stack.stack.hosted_url, id)
  expect(answer).toMatchObject({ status: 202, body: { status: 'pending' } })
  return answer.body.voucher as never
}

const payAtCounter = (reference: string) =>
  clients.merchant.call('POST', `/api/sandbox/vouchers/${reference}/pay`, undefined)
const sessionOf = async ({ id }: { id: string }) =>
  (await clients.merchant.call('GET', `/checkout/v1/sessions/${id}`)).body
const transactionsOf = async ({ correlation_id }: { correlation_id: string }): Promise<any[]> =>
  (await clients.merchant.call('GET', `/api/transactions?correlation_id=${correlation_id}&dir=asc`)).body.data

/** The payment events of a lifecycle in the audit log, sorted. */
async function eventsOf({ correlation_id, merchant_id }: { correlation_id: string; merchant_id: string }) {
  const path = `/api/events?correlation_id=${correlation_id}&limit=200`
  const { body } = await clients.operator.call('GET', path, undefined, { 'x-merchant-id': merchant_id })
  const actions: string[] = body.data.map((event: { action: string }) => event.action)
  return actions.filter(action => /^(payment|payment_link|checkout_session)\.(?!viewed)/.test(action)).sort()
}

/** Expires a session now. */
const expireNow = ({ id }: { id: string }) =>
  stack.query(`update checkout.checkout_sessions set expires_at = now() where id = $1`, [id])

test('issues a voucher, accepts its payment at the counter, updates the page and emits every event once', async () => {
  const session = await openSession()
  const voucher = await voucherFor(session)
  expect(voucher).toEqual({
    reference: expect.stringMatching(/^\d{14}$/),
    barcode: expect.stringMatching(/^\d+$/),
    due_at: expect.stringMatching(/T05:59:\d\d\.\d{3}Z$/),
  })
  expect(Date.parse(voucher.due_at) - Date.now()).toBeGreaterThan(2 * dayMs)
  expect(await transactionsOf(session)).toMatchObject([{ status: 'pending', payment_method: 'cash', card: null }])
  const page = await followPage(session.id)
  await waitFor(() => page.updates.at(-1)?.voucher?.reference === voucher.reference)

  expect((await payAtCounter(voucher.reference)).body).toEqual({
    data: { reference: voucher.reference, status: 'paid' },
  })
  await waitFor(() => page.updates.at(-1)?.status === 'completed')
  expect(await sessionOf(session)).toMatchObject({ status: 'completed', transaction_status: 'Approved' })
  expect(await transactionsOf(session)).toMatchObject([{ status: 'approved', captured_at: expect.any(String) }])
  const expected = [
    'checkout_session.completed',
    'checkout_session.created',
    'payment.approved',
    'payment.attempted',
    'payment.pending',
  ]
  await waitFor(async () => (await eventsOf(session)).length >= expected.length)
  expect(await eventsOf(session)).toEqual(expected)
  expect((await payAtCounter(voucher.reference)).status).toBe(409)
})

test('shows in the public read that a link was paid in cash', async () => {
  const body = { amount: '250.00', concepto: 'Curso de barismo', payment_method_types: ['cash'] }
  const { data } = (await clients.merchant.call('POST', '/checkout/v1/links', body)).body
  await payAtCounter((await voucherFor(data)).reference)
  const publicRead = async () => (await clients.payer.call('GET', `/api/public/links/${data.id}`)).body.data
  await waitFor(async () => (await publicRead()).status === 'paid')
  expect(await transactionsOf(data)).toMatchObject([
    { status: 'approved', payment_method: 'cash', payment_link_id: data.id },
  ])
})

test('ends the session and the transaction of an expired voucher, which counters reject from then on', async () => {
  const session = await openSession()
  const { reference } = await voucherFor(session)
  await expireNow(session)
  await waitFor(async () => (await sessionOf(session)).status === 'expired')
  await waitFor(async () => (await transactionsOf(session))[0]?.status === 'expired')
  await waitFor(async () => (await voucherAtAcquirer(reference)) === 'withdrawn')
})

test('records late cash, emits it as a duplicate and refunds it automatically', async () => {
  const session = await openSession()
  const { reference } = await voucherFor(session)
  await clients.merchant.call('POST', `/checkout/v1/sessions/${session.id}/cancel`, {})
  await waitFor(async () => (await voucherAtAcquirer(reference)) === 'withdrawn')
  expect((await payAtCounter(reference)).status).toBe(200)
  const [first, late] = await waitFor(async () => {
    const found = await transactionsOf(session)
    return found[1]?.refund_status === 'completed' && found
  })
  expect(first).toMatchObject({ status: 'cancelled' })
  expect(late).toMatchObject({
    status: 'refunded',
    payment_method: 'cash',
    amount_cents: 25_000,
    metadata: { late_payment_of: first.id },
  })
  expect(late.payment_intent_id).not.toBe(first.payment_intent_id)
  expect(await sessionOf(session)).toMatchObject({ status: 'cancelled', transaction_id: null })
  await waitFor(async () => {
    const events = await eventsOf(session)
    return ['payment.refunded', 'payment.duplicate'].every(action => events.includes(action))
  })
  expect((await eventsOf(session)).filter(action => action === 'payment.duplicate')).toHaveLength(1)
})

test('either completes the sale or refunds the money when cash and cancel race', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const session = await openSession()
      const { reference } = await voucherFor(session)
      const cancel = clients.merchant.call('POST', `/checkout/v1/sessions/${session.id}/cancel`, {})
      const [paid] = await Promise.all([payAtCounter(reference), cancel])
      expect(paid.status).toBe(200)
      return waitFor(async () => {
        const { status } = await sessionOf(session)
        const transactions = await transactionsOf(session)
        const kept = transactions.filter(one => one.status === 'approved')
        const returned = transactions.filter(one => one.status === 'refunded')
        if (status === 'completed' && kept.length === 1 && returned.length === 0) return 'kept'
        return status === 'cancelled' && kept.length === 0 && returned.length === 1 && 'returned'
      })
    }),
  )
  expect(outcomes).toHaveLength(8)
})

test('rejects a card while a voucher is open, and charges nothing', async () => {
  const session = await openSession()
  await voucherFor(session)
  // The page offers no card form and has no key to encrypt to: such a call comes from elsewhere.
  const pressed = await clients.payer.call('POST', `/hosted/v1/checkout/${session.id}/payments`, {
    method: 'card',
    card_jwe: 'never decrypted',
  })
  expect([pressed.status, pressed.body]).toEqual([409, { error: 'conflict: a voucher for cash is out' }])
  expect(await transactionsOf(session)).toHaveLength(1)
})

test("rejects a notification without the acquirer's signature with 401, whatever its content and sender", async () => {
  const body = { id: 'ntf_1', type: 'voucher.paid', data: { reference: '93000000000001' } }
  for (const client of [clients.payer, clients.merchant, clients.operator]) {
    const answer = await client.call('POST', '/acquirer/v1/notifications', body, { 'acquirer-signature': 'e30..e30' })
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }])
  }
  expect((await clients.payer.call('POST', '/acquirer/v1/notifications', body)).status).toBe(401)
})

const voucherAtAcquirer = async (reference: string): Promise<string> =>
  (await stack.query('select status from acquirer_sandbox.vouchers where reference = $1', [reference]))[0]?.status

/** Follows a session through the gateway as its page does, and records the updates. */
async function followPage(id: string) {
  const response = await fetch(`${stack.stack.hosted_url}/hosted/v1/checkout/${id}/stream`)
  const updates: any[] = []
  let text = ''
  void (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const whole = [...text.matchAll(/^data: (.*)\n\n/gm)]
      updates.push(...whole.slice(updates.length).map(([, data]) => JSON.parse(data as string)))
    }
  })()
  return { updates }
}
