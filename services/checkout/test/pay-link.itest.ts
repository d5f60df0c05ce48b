import type { CommandData, EventData } from '@cobro/contracts'
import { eventMessage } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { callsTo, payer } from './checkout-calls.ts'
import { checkoutUnderTest, fakeTransactions, outcomeMessage } from './checkout-under-test.ts'

type Link = { id: string; merchant_id: string; correlation_id: string }
type Decide = Parameters<typeof fakeTransactions>[1]
let service: Awaited<ReturnType<typeof checkoutUnderTest>>
let transactions: ReturnType<typeof fakeTransactions>
let decide: Decide
const approve: Decide = () => ({ status: 'approved' })
const decline: Decide = () => ({ status: 'declined', decline_reason: 'insufficient_funds' })
beforeAll(async () => {
  service = await checkoutUnderTest()
  decide = approve
  transactions = fakeTransactions(service.bus, command => decide(command))
  // Until the service is connected to the broker, a payment is a 503 and sends nothing.
  await waitFor(async () => (await pay(await make())).status === 200)
})
beforeEach(() => {
  decide = approve
})
afterAll(async () => {
  await transactions?.stop()
  await service?.stop()
})

const call = callsTo(() => service)
const merchant = keyCaller()
const make = async (change: object = {}) =>
  (await call(merchant, 'POST', '/checkout/v1/links', { concepto: 'Curso', amount: '250', ...change })).body.data
const pay = ({ id }: { id: string }, change: object = {}, headers = {}) =>
  call(payer, 'POST', `/hosted/v1/links/${id}/payments`, { method: 'card', card_jwe: 'jwe', ...change }, headers)
const read = async ({ id }: { id: string }) => (await call(merchant, 'GET', `/checkout/v1/links/${id}`)).body.data
const show = async ({ id }: { id: string }) => (await call(payer, 'GET', `/hosted/v1/links/${id}`)).body.data
const change = ({ id }: { id: string }, body: object) => call(merchant, 'PUT', `/api/payment-links/${id}`, body)
const cancel = ({ id }: { id: string }) => call(merchant, 'POST', `/checkout/v1/links/${id}/cancel`)
const remove = ({ id }: { id: string }) => call(merchant, 'DELETE', `/api/payment-links/${id}`)
const commandsOf = ({ id }: { id: string }) =>
  transactions.commands.filter(({ data }) => data.payable_id === id).map(({ data }) => data)
/** The events of a link for its merchant and the audit log, without those between services. */
const eventsOf = ({ correlation_id }: Link) =>
  service.tap.names(correlation_id).filter(name => name !== 'payment_attempt.settled')
const dataOf = ({ correlation_id }: Link, name: string) =>
  service.tap.messages.filter(message => message.correlation_id === correlation_id && message.name === name)
const updateRow = ({ id }: { id: string }, set: string) =>
  service.database.query(`update checkout.payment_links set ${set} where id = $1`, [id])

function expectBetween(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least)
  expect(value).toBeLessThanOrEqual(most)
}

test('pays a link once with its amount and reference, and emits payment_link.paid', async () => {
  const link = await make({ reference: 'A-1042', metadata: { plan: 'gold' }, payer_email: 'ana@example.com' })
  const answer = await pay(link, { amount_cents: 25_000 })
  expect([answer.status, answer.body]).toEqual([200, { status: 'approved' }])
  expect(commandsOf(link)).toEqual([
    expect.objectContaining({
      payable_id: link.id,
      payment_link_id: link.id,
      attempt: 1,
      amount_cents: 25_000,
      currency: 'MXN',
      reference: 'A-1042',
      order_id: null,
      metadata: { plan: 'gold' },
      payer_email: 'ana@example.com',
      correlation_id: link.correlation_id,
    }),
  ])
  const paid = await read(link)
  expect(paid).toEqual({
    ...link,
    status: 'paid',
    transaction_id: expect.stringMatching(/^txn_/),
    paid_at: expect.stringMatching(/Z$/),
    updated_at: paid.paid_at,
  })
  expect(await show(link)).toMatchObject({ status: 'completed', transaction_status: 'Approved', redirect_url: null })
  await waitFor(() => eventsOf(link).includes('payment_link.paid'))
  expect(eventsOf(link).filter(name => name !== 'payment_link.viewed')).toEqual([
    'payment_link.created',
    'payment.attempted',
    'payment_link.paid',
  ])
  expect(dataOf(link, 'payment_link.paid')[0]?.data).toEqual(paid)
})

test('charges one of twenty concurrent payments of a link, and emits payment.duplicate once a minute', async () => {
  const link = await make()
  const answers = await Promise.all(Array.from({ length: 20 }, () => pay(link)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  expect(commandsOf(link)).toHaveLength(1)
  for (let times = 0; times < 3; times++)
    expect((await pay(link)).body).toEqual({ error: 'conflict: the link is paid' })
  await waitFor(() => eventsOf(link).includes('payment.duplicate'))
  expect(dataOf(link, 'payment.duplicate').map(({ data }) => data)).toEqual([await read(link)])
  await updateRow(link, "duplicate_told_at = now() - interval '61 seconds'")
  await pay(link)
  await waitFor(() => dataOf(link, 'payment.duplicate').length === 2)
})

test('replays the answer of a link payment with the same key without a second charge', async () => {
  const link = await make()
  const once = () => pay(link, {}, { 'idempotency-key': 'pay' })
  const [first, again] = [await once(), await once()]
  expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(commandsOf(link)).toHaveLength(1)
})

test('blocks a link for 15 minutes after the tenth decline, and accepts payments afterwards', async () => {
  decide = decline
  const link = await make()
  let lastDeclineAfter = 0
  for (let number = 1; number <= 10; number++) {
    expect(await show(link)).toMatchObject({ attempts_left: 11 - number, retry_at: null })
    lastDeclineAfter = Date.now()
    const { status, body } = await pay(link)
    expect([number, status, body]).toEqual([number, 402, { error: 'insufficient_funds', declined: true }])
  }
  const lastDeclineBefore = Date.now()
  decide = approve
  const keyed = { 'idempotency-key': 'blocked' }
  const blocked = await pay(link, {}, keyed)
  const answeredBefore = Date.now()
  expect([blocked.status, blocked.body]).toEqual([429, { error: 'rate_limited: too many declined payments' }])
  expect(commandsOf(link)).toHaveLength(10)
  const { status, retry_at } = await show(link)
  expect(status).toBe('pending')
  expectBetween(retry_at - 15 * 60_000, lastDeclineAfter, lastDeclineBefore)
  const waitMs = Number(blocked.headers.get('retry-after')) * 1_000
  expectBetween(waitMs, retry_at - answeredBefore, retry_at - lastDeclineBefore + 999)
  expect((await read(link)).status).toBe('active')

  await updateRow(link, 'blocked_until = now()')
  expect(await show(link)).toMatchObject({ attempts_left: 10, retry_at: null })
  decide = decline
  expect((await pay(link)).status).toBe(402)
  decide = approve
  // A 429 is not stored under the idempotency key.
  expect((await pay(link, {}, keyed)).status).toBe(200)
  expect(commandsOf(link)).toHaveLength(12)
})

test('does not count technical failures and unreadable cards as declines of a link', async () => {
  decide = () => ({ status: 'failed', decline_reason: 'processing_error' })
  const link = await make()
  for (let number = 1; number <= 11; number++) expect((await pay(link)).body).toEqual({ error: 'processing_error' })
  expect((await pay(link, { card_jwe: 'unreadable' })).status).toBe(400)
  expect(await show(link)).toMatchObject({ attempts_left: 10, retry_at: null })
  decide = approve
  expect((await pay(link)).status).toBe(200)
})

test('emits payment.failed with the link if the payment failed before its command was sent', async () => {
  const link = await make()
  expect((await pay(link, { card_jwe: 'broken' })).status).toBe(502)
  await waitFor(() => eventsOf(link).includes('payment.failed'))
  const failed = dataOf(link, 'payment.failed')
  expect(failed.map(({ data }) => data)).toEqual([await read(link)])
  expect(failed[0]?.data.status).toBe('active')
  expect(commandsOf(link)).toEqual([])
})

test('rejects changes of a link while a payment runs, does not expire it, and applies the outcome', async () => {
  decide = () => 'pending'
  const link = await make()
  expect((await pay(link)).status).toBe(202)
  for (const move of [
    () => pay(link),
    () => cancel(link),
    () => remove(link),
    () => change(link, { amount_cents: 1 }),
  ]) {
    const { status, body } = await move()
    expect([status, body]).toEqual([409, { error: 'conflict: a payment is running' }])
  }
  await updateRow(link, "expires_at = now() - interval '1 hour'")
  // Once another link is expired, the sweeper has also seen this one.
  const other = await make({ expires_in: 1 })
  await waitFor(async () => (await read(other)).status === 'expired')
  expect(await show(link)).toMatchObject({ status: 'pending', in_progress: true })
  await transactions.publish(
    outcomeMessage(commandsOf(link)[0] as CommandData<'payment.charge'>, { status: 'approved' }),
  )
  await waitFor(async () => (await read(link)).status === 'paid')
  expect(eventsOf(link)).not.toContain('payment.expired')
})

test('expires a link whose payment is declined after its expiry', async () => {
  decide = () => 'pending'
  const link = await make()
  await pay(link)
  await updateRow(link, 'expires_at = now()')
  const declined = { status: 'declined', decline_reason: 'do_not_honor' } as const
  await transactions.publish(outcomeMessage(commandsOf(link)[0] as never, declined))
  await waitFor(async () => (await read(link)).status === 'expired')
})

test('expires a link once, and emits the events with the link as data', async () => {
  const link = await make({ expires_in: 1 })
  await waitFor(async () => (await read(link)).status === 'expired')
  await waitFor(() => eventsOf(link).length === 4)
  expect(eventsOf(link)).toEqual(['payment_link.created', 'payment.expired', 'payment.failed', 'payment_link.expired'])
  const expired = await read(link)
  for (const name of ['payment.expired', 'payment.failed'])
    expect([name, dataOf(link, name).map(({ data }) => data)]).toEqual([name, [expired]])
  expect([expired.status, expired.paid_at, expired.transaction_id]).toEqual(['expired', null, null])
})

test.each([
  ['a system', cancel, { status: 'cancelled' }],
  ['the dashboard', remove, { deleted: true }],
])('lets %s cancel a link, and emits the events of the cancellation', async (_who, move, answered) => {
  const link = await make()
  const { status, body } = await move(link)
  expect([status, body.data]).toMatchObject([200, { id: link.id, ...answered }])
  await waitFor(() => eventsOf(link).length === 3)
  expect(eventsOf(link)).toEqual(['payment_link.created', 'payment.cancelled', 'payment_link.cancelled'])
  expect(dataOf(link, 'payment.cancelled').map(({ data }) => data)).toEqual([await read(link)])
})

const endings = {
  paid: async (link: Link) => void (await pay(link)),
  expired: async (link: Link) => {
    await updateRow(link, 'expires_at = now()')
    await waitFor(async () => (await read(link)).status === 'expired')
  },
  cancelled: async (link: Link) => void (await cancel(link)),
}
test.each(Object.entries(endings))('rejects every change of a link that is %s with 409', async (status, end) => {
  const link = await make()
  await end(link)
  const ended = await read(link)
  expect(ended.status).toBe(status)
  for (const move of [pay, cancel, remove, (of: Link) => change(of, { concepto: 'Other' })]) {
    const answer = await move(link)
    expect([answer.status, answer.body]).toEqual([409, { error: `conflict: the link is ${status}` }])
  }
  await updateRow(link, 'expires_at = now()')
  const other = await make({ expires_in: 1 })
  await waitFor(async () => (await read(other)).status === 'expired')
  expect(await read(link)).toEqual({ ...ended, expires_at: expect.any(String) })
})

test('answers 404 if a payer tries to cancel a link', async () => {
  const link = await make()
  expect((await call(payer, 'POST', `/hosted/v1/links/${link.id}/cancel`, {})).status).toBe(404)
  expect((await call(payer, 'POST', `/hosted/v1/checkout/${link.id}/cancel`, {})).status).toBe(404)
  expect((await read(link)).status).toBe('active')
})

test('rejects payments of a link with an outdated amount or an unsupported method with 409', async () => {
  const link = await make()
  await change(link, { amount_cents: 30_000 })
  const stale = await pay(link, { amount_cents: 25_000 })
  expect([stale.status, stale.body]).toEqual([409, { error: 'conflict: amount_cents: the amount has changed' }])
  const cash = await pay(link, { method: 'cash', card_jwe: undefined })
  expect([cash.status, cash.body]).toEqual([409, { error: 'conflict: the link does not take cash' }])
  expect(commandsOf(link)).toEqual([])
  expect((await pay(link, { amount_cents: 30_000, payer_email: 'eva@example.com' })).status).toBe(200)
  expect(commandsOf(link)).toMatchObject([{ amount_cents: 30_000, payer_email: 'eva@example.com' }])
})

test('rejects payments of a disabled merchant’s link, and accepts them after it is enabled again', async () => {
  const publishStatus = async (status: EventData<'merchant.updated'>['status'], version: number) => {
    const { merchant_id: id } = merchant
    const message = eventMessage('merchant.updated', { id, name: 'Café', status, version }, { merchant_id: id })
    await transactions.publish(message)
    const handled = 'select 1 from checkout.inbox where message_id = $1'
    await waitFor(async () => (await service.database.query(handled, [message.id])).length > 0)
  }
  const link = await make()
  await publishStatus('disabled', 1)
  const refused = await pay(link)
  expect([refused.status, refused.body.error]).toEqual([409, 'conflict: the merchant takes no payments at present'])
  expect(await show(link)).toMatchObject({ merchant_status: 'disabled', card_encryption_key: null, attempts_left: 10 })
  await publishStatus('active', 2)
  expect((await pay(link)).status).toBe(200)
})
