import { type CommandData, type EventData, newId } from '@cobro/contracts'
import { eventMessage } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { callsTo, payer } from './checkout-calls.ts'
import { checkoutUnderTest, fakeTransactions, outcomeMessage } from './checkout-under-test.ts'

type Charge = CommandData<'payment.charge' | 'payment.voucher'>
let service: Awaited<ReturnType<typeof checkoutUnderTest>>
let transactions: ReturnType<typeof fakeTransactions>
let replies = true
beforeAll(async () => {
  service = await checkoutUnderTest()
  transactions = fakeTransactions(service.bus, () => (replies ? { status: 'approved' } : 'pending'))
  // Until the service is connected to the broker, a payment is a 503 and sends nothing.
  await waitFor(async () => (await pay('checkout', await openSession())).status === 200)
})
afterAll(async () => {
  await transactions?.stop()
  await service?.stop()
})

const call = callsTo(() => service)
const merchant = keyCaller()
const openSession = async () =>
  (await call(merchant, 'POST', '/checkout/v1/sessions', { amount_total: 25_000, return_url: 'https://shop.mx' })).body
const read = async ({ id }: { id: string }) => (await call(merchant, 'GET', `/checkout/v1/sessions/${id}`)).body
const pay = (kind: 'checkout' | 'links', { id }: { id: string }) =>
  call(payer, 'POST', `/hosted/v1/${kind}/${id}/payments`, { method: 'card', card_jwe: 'jwe' })
const show = async (kind: 'checkout' | 'links', { id }: { id: string }) =>
  (await call(payer, 'GET', `/hosted/v1/${kind}/${id}`)).body.data
const chargeOf = async ({ id }: { id: string }) =>
  (await waitFor(() => transactions.commands.find(({ data }) => data.payable_id === id)))?.data as Charge

/** Returns the event of a payment's refund or dispute. */
function transactionEvent(name: 'payment.refunded' | 'payment.chargeback', charge: Partial<Charge>) {
  const now = new Date()
  const ids = { merchant_id: merchant.merchant_id, correlation_id: newId('corr') }
  const row: EventData<'payment.refunded'> = {
    ...{ id: newId('txn'), type: 'payment', ...ids, payment_intent_id: charge.payment_intent_id ?? null },
    ...{ order_id: null, payment_link_id: null, reference: null, payer_email: null, rail: 'online_cnp' },
    ...{ payment_method: 'card', status: 'refunded', amount_cents: 25_000, currency: 'MXN', fee_cents: 0, card: null },
    ...{ customer_ref: null, decline_reason: null, risk_score: null, terminal_id: null, metadata: null },
    ...{ created_at: now, updated_at: now, captured_at: now },
    ...{ refund_status: 'completed', refund_id: newId('rfd'), refund_requested_at: now, refunded_at: now },
    manual_refund: false,
  }
  return eventMessage(name, row, { ...ids, target_id: row.id })
}
const publish = (event: ReturnType<typeof transactionEvent>) => transactions.publish(event)

test('shows a refund on a completed session, to its merchant and on its page', async () => {
  const session = await openSession()
  await pay('checkout', session)
  const charge = await chargeOf(session)
  const paid = await read(session)
  expect(paid).toMatchObject({ status: 'completed', transaction_status: 'Approved' })
  const refund = transactionEvent('payment.refunded', charge)
  await Promise.all([publish(refund), publish(refund), publish(transactionEvent('payment.chargeback', charge))])
  await waitFor(async () => (await read(session)).transaction_status === 'Refunded')
  const { modified_at, ...refunded } = await read(session)
  expect({ ...refunded, transaction_status: 'Approved' }).toEqual({ ...paid, modified_at: undefined })
  expect(modified_at).toBeGreaterThan(paid.modified_at)
  expect(await show('checkout', session)).toMatchObject({ status: 'completed', transaction_status: 'Refunded' })
  const completions = () =>
    service.tap.names(session.correlation_id).filter(name => name === 'checkout_session.completed')
  await waitFor(() => completions().length > 0)
  expect(completions()).toHaveLength(1)
})

test('shows a refund that arrives before its payment once the session is completed', async () => {
  replies = false
  const session = await openSession()
  expect((await pay('checkout', session)).status).toBe(202)
  const charge = await chargeOf(session)
  replies = true
  await publish(transactionEvent('payment.refunded', charge))
  const marked = () =>
    service.database.query('select 1 from checkout.checkout_sessions where id = $1 and refunded_at is not null', [
      session.id,
    ])
  await waitFor(async () => (await marked()).length === 1)
  expect(await read(session)).toMatchObject({ status: 'pending', transaction_status: 'Pending' })
  await transactions.publish(outcomeMessage(charge, { status: 'approved' }))
  await waitFor(async () => (await read(session)).status === 'completed')
  expect(await read(session)).toMatchObject({ transaction_status: 'Refunded' })
})

test('keeps a refunded link paid, and shows the refund on its page', async () => {
  const link = (await call(merchant, 'POST', '/checkout/v1/links', { concepto: 'Curso', amount_cents: 25_000 })).body
    .data
  await pay('links', link)
  await publish(transactionEvent('payment.refunded', await chargeOf(link)))
  await waitFor(async () => (await show('links', link)).transaction_status === 'Refunded')
  const { body } = await call(merchant, 'GET', `/checkout/v1/links/${link.id}`)
  expect(body.data).toMatchObject({ status: 'paid' })
})

test('ignores a refund that belongs to no session or link', async () => {
  const session = await openSession()
  await pay('checkout', session)
  await publish(transactionEvent('payment.refunded', {}))
  await publish(transactionEvent('payment.refunded', { payment_intent_id: newId('pi') }))
  // The next message in the queue is handled.
  await publish(transactionEvent('payment.refunded', await chargeOf(session)))
  await waitFor(async () => (await read(session)).transaction_status === 'Refunded')
  expect(
    await service.database.query(
      'select count(*)::integer as refunded from checkout.checkout_sessions where refunded_at is not null',
    ),
  ).toEqual([{ refunded: 3 }])
})
