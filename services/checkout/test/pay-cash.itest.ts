import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { checkoutUnderTest, fakeTransactions, outcomeMessage } from './checkout-under-test.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>
let service: Service
let transactions: ReturnType<typeof fakeTransactions>
const dueAt = new Date(Date.now() + 3 * 86_400_000)
const voucher = { reference: '93000000000001', barcode: '930000000000012611240000025000', due_at: dueAt }
const shown = { ...voucher, due_at: dueAt.toISOString() }

let decide: Parameters<typeof fakeTransactions>[1]
beforeAll(async () => {
  service = await checkoutUnderTest()
  decide = () => ({ status: 'pending', voucher })
  transactions = fakeTransactions(service.bus, command => decide(command))
  // Until the service is connected to the broker, a payment is a 503 and sends nothing.
  await waitFor(async () => (await pay(await open())).status === 202)
})
beforeEach(() => {
  transactions.commands.length = 0
  decide = () => ({ status: 'pending', voucher })
})
afterAll(async () => {
  await transactions.stop()
  await service.stop()
})

const payer = { kind: 'payer' } as const
async function call(method: string, path: string, body?: unknown, caller: Parameters<Service['headers']>[0] = payer) {
  const headers = { ...(await service.headers(caller)), ...(body ? { 'content-type': 'application/json' } : {}) }
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
  const response = await fetch(`${service.url}${path}`, init)
  return { status: response.status, body: (await response.json()) as any }
}
const merchant = keyCaller()
const order = { amount_total: 25_000, return_url: 'https://shop.mx/back', payment_method_types: ['card', 'cash'] }
const open = async (change: object = {}) =>
  (await call('POST', '/checkout/v1/sessions', { ...order, ...change }, merchant)).body
const openLink = async () =>
  (await call('POST', '/checkout/v1/links', { ...link, payment_method_types: ['cash'] }, merchant)).body.data
const link = { amount_cents: 25_000, concepto: 'Curso de barismo', reference: 'A-1' }
const pay = ({ id }: { id: string }, body: object = { method: 'cash' }) =>
  call('POST', `/hosted/v1/${id.startsWith('cs_') ? 'checkout' : 'links'}/${id}/payments`, body)
const show = async ({ id }: { id: string }) =>
  (await call('GET', `/hosted/v1/${id.startsWith('cs_') ? 'checkout' : 'links'}/${id}`)).body.data
const attempts = ({ id }: { id: string }) =>
  service.database.query(
    'select number, status, payment_method from checkout.payment_attempts where payable_id = $1 order by number',
    [id],
  )
const names = ({ correlation_id }: { correlation_id: string }) => service.tap.names(correlation_id)

/** Publishes the later outcome of the attempt of a session. */
async function publishOutcome(session: { id: string }, status: 'approved' | 'expired' | 'cancelled'): Promise<void> {
  const command = transactions.commands.find(({ data }) => data.payable_id === session.id)?.data
  await transactions.publish(outcomeMessage(command as never, { status }))
}

test('answers a cash payment with a voucher, and moves the session’s expiry to its due date', async () => {
  const session = await open({ external_id: 'A-1' })
  expect(await pay(session, { method: 'cash', payer_email: 'ana@example.com', amount_cents: 25_000 })).toEqual({
    status: 202,
    body: { status: 'pending', voucher: shown },
  })
  expect(transactions.commands).toMatchObject([
    {
      name: 'payment.voucher',
      data: {
        payable_id: session.id,
        payment_method: 'cash',
        amount_cents: 25_000,
        card: null,
        payer_email: 'ana@example.com',
        order_id: 'A-1',
        concept: expect.any(String),
      },
    },
  ])
  expect(await show(session)).toMatchObject({
    status: 'pending',
    transaction_status: 'Pending',
    in_progress: false,
    voucher: shown,
    expires_at: dueAt.getTime(),
  })
  await waitFor(() => names(session).includes('payment.attempted'))
})

test('sends the concepto of a link with the voucher command', async () => {
  const made = await openLink()
  expect((await pay(made)).body.voucher).toEqual(shown)
  expect(transactions.commands[0]?.data).toMatchObject({ concept: link.concepto, payment_link_id: made.id })
})

test('returns the same voucher for a repeated cash payment', async () => {
  const session = await open()
  await pay(session)
  expect(await pay(session)).toEqual({ status: 202, body: { status: 'pending', voucher: shown } })
  expect(transactions.commands).toHaveLength(1)
  expect(await attempts(session)).toEqual([{ number: 1, status: 'pending', payment_method: 'cash' }])
})

test('rejects a repeated cash payment with another amount with 409', async () => {
  const session = await open()
  await pay(session)
  expect((await pay(session, { method: 'cash', amount_cents: 1 })).body.error).toBe(
    'conflict: amount_cents: the amount has changed',
  )
})

test('shows an unpaid voucher without an encryption key, and had_voucher after its cancellation', async () => {
  const session = await open()
  await pay(session)
  expect(await show(session)).toMatchObject({ voucher: shown, had_voucher: true, card_encryption_key: null })
  await call('POST', `/hosted/v1/checkout/${session.id}/cancel`, {})
  expect(await show(session)).toMatchObject({ status: 'cancelled', voucher: null, had_voucher: true })
  expect((await show(await open())).had_voucher).toBe(false)
})

test('stores only the brand and the last four digits of a card', async () => {
  decide = () => ({ status: 'approved' })
  const session = await open()
  await pay(session, { method: 'card', card_jwe: 'jwe' })
  expect(
    await service.database.query('select card from checkout.payment_attempts where payable_id = $1', [session.id]),
  ).toEqual([{ card: { brand: 'visa', last4: '4242' } }])
  expect(transactions.commands[0]?.data.card).toEqual({ brand: 'visa', last4: '4242' })
})

test('rejects a card payment with 409 while a voucher is unpaid, and charges nothing', async () => {
  const session = await open()
  await pay(session)
  expect(await pay(session, { method: 'card', card_jwe: 'jwe' })).toEqual({
    status: 409,
    body: { error: 'conflict: a voucher for cash is out' },
  })
  expect(transactions.commands).toHaveLength(1)
})

test('rejects payments in cash or by card with 409 if the session does not allow the method', async () => {
  const cardsOnly = await open({ payment_method_types: ['card'] })
  expect((await pay(cardsOnly)).body.error).toBe('conflict: the session does not take cash')
  const cashOnly = await open({ payment_method_types: ['cash'] })
  expect((await pay(cashOnly, { method: 'card', card_jwe: 'jwe' })).body.error).toBe(
    'conflict: the session does not take card',
  )
  expect((await show(cashOnly)).card_encryption_key).toBeNull()
})

test('rejects a card number in a cash payment with 400', async () => {
  const answer = await pay(await open(), { method: 'cash', number: '1' })
  expect(answer).toEqual({ status: 400, body: { error: 'invalid_request: number: unknown field' } })
})

test('completes a session whose voucher was paid', async () => {
  const session = await open()
  await pay(session)
  await publishOutcome(session, 'approved')
  await waitFor(async () => (await show(session)).status === 'completed')
  expect(await show(session)).toMatchObject({ transaction_status: 'Approved', voucher: null })
  await waitFor(() => names(session).includes('checkout_session.completed'))
})

test('completes a link whose voucher was paid', async () => {
  const made = await openLink()
  await pay(made)
  await publishOutcome(made, 'approved')
  await waitFor(async () => (await show(made)).status === 'completed')
  await waitFor(() => names(made).includes('payment_link.paid'))
})

test('accepts another payment of a session whose voucher expired', async () => {
  const session = await open()
  await pay(session)
  await publishOutcome(session, 'expired')
  await waitFor(async () => (await show(session)).voucher === null)
  expect(await show(session)).toMatchObject({ status: 'pending', transaction_status: 'Pending' })
  decide = () => ({ status: 'approved' })
  expect((await pay(session, { method: 'card', card_jwe: 'jwe' })).status).toBe(200)
})

test('answers 502 if no voucher could be issued, and lets the payer try again', async () => {
  decide = () => ({ status: 'failed', decline_reason: 'processing_error' })
  const session = await open()
  expect(await pay(session)).toEqual({ status: 502, body: { error: 'processing_error' } })
  decide = () => ({ status: 'pending', voucher })
  expect((await pay(session)).status).toBe(202)
})

test('answers 202 without a voucher while its outcome is unknown, and rejects a cancellation with 409', async () => {
  decide = () => 'pending'
  const session = await open()
  expect(await pay(session)).toEqual({ status: 202, body: { status: 'pending' } })
  expect(await show(session)).toMatchObject({ in_progress: true, voucher: null })
  expect((await call('POST', `/checkout/v1/sessions/${session.id}/cancel`, {}, merchant)).status).toBe(409)
})

test('cancels a session with an unpaid voucher, and emits payment.cancelled for transactions', async () => {
  const session = await open()
  await pay(session)
  expect((await call('POST', `/checkout/v1/sessions/${session.id}/cancel`, {}, merchant)).body.status).toBe('cancelled')
  await waitFor(() => names(session).includes('payment.cancelled'))
  expect(await show(session)).toMatchObject({ status: 'cancelled', voucher: null })
  await publishOutcome(session, 'cancelled')
  await waitFor(async () => (await attempts(session))[0]?.status === 'cancelled')
})

test('keeps a session cancelled whose voucher was paid during the cancellation', async () => {
  const session = await open()
  await pay(session)
  await call('POST', `/checkout/v1/sessions/${session.id}/cancel`, {}, merchant)
  await publishOutcome(session, 'approved')
  await waitFor(async () => (await attempts(session))[0]?.status === 'approved')
  expect(await show(session)).toMatchObject({ status: 'cancelled', transaction_status: 'Cancelled' })
})

test('rejects updates of a link’s amount and expiry with 409 while its voucher is unpaid', async () => {
  const made = await openLink()
  await pay(made)
  const change = (body: object) => call('PUT', `/api/payment-links/${made.id}`, body, merchant)
  expect((await change({ amount_cents: 1 })).status).toBe(409)
  expect((await change({ expires_at: new Date(Date.now() + 1e6).toISOString() })).status).toBe(409)
  expect((await change({ reference: 'A-2' })).status).toBe(200)
})
