import { type Caller, newId } from '@cobro/contracts'
import { internalHeaders } from '@cobro/http'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { callsTo, payer } from './checkout-calls.ts'
import { checkoutUnderTest, fakeTransactions } from './checkout-under-test.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
let transactions: ReturnType<typeof fakeTransactions>
let status: 'approved' | 'declined'
const merchant = keyCaller()
const operator = operatorCaller('all', merchant.merchant_id)
beforeAll(async () => {
  service = await checkoutUnderTest({ velocity: { VELOCITY_ADDRESS_DECLINES: '2/1h', VELOCITY_CARD: '2/2h' } })
  transactions = fakeTransactions(service.bus, () => ({
    status,
    ...(status === 'declined' && { decline_reason: 'do_not_honor' }),
  }))
  status = 'approved'
  await waitFor(async () => (await pay(await make())).status === 200)
})
afterAll(async () => {
  await transactions?.stop()
  await service?.stop()
})

interface Session {
  id: string
  correlation_id: string
}
const call = callsTo(() => service)
const make = async (): Promise<Session> =>
  (await call(merchant, 'POST', '/checkout/v1/sessions', { amount_total: 100, return_url: 'https://shop.mx' })).body
const pay = ({ id }: Session, { address, card = 'jwe' }: { address?: string; card?: string } = {}) =>
  call(
    payer,
    'POST',
    `/hosted/v1/checkout/${id}/payments`,
    { method: 'card', card_jwe: card },
    address ? { [internalHeaders.clientAddress]: address } : {},
  )
const blockedEvents = ({ correlation_id }: Session) =>
  service.tap.messages.filter(one => one.correlation_id === correlation_id && one.name === 'payment.blocked')

test('a payer has to wait, the merchant sees which rule and why, and an operator lifts the block', async () => {
  const address = '203.0.113.7'
  status = 'declined'
  for (const _time of [1, 2]) expect((await pay(await make(), { address })).status).toBe(402)
  status = 'approved'
  const session = await make()
  const refused = await pay(session, { address })
  expect([refused.status, refused.body]).toEqual([429, { error: 'rate_limited: too many declined payments' }])
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(3_500)
  expect(seconds).toBeLessThanOrEqual(3_600)

  await waitFor(() => blockedEvents(session).length > 0)
  const [event] = blockedEvents(session)
  const reason = { rule: 'address_declines', max_attempts: 2, window_seconds: 3_600 }
  expect(event).toMatchObject({ target_id: session.id, merchant_id: merchant.merchant_id, actor: { type: 'payer' } })
  expect(event?.data).toEqual({
    id: session.id,
    block_id: expect.stringMatching(/^pbl_/),
    ...reason,
    ends_at: expect.stringMatching(/Z$/),
  })
  // Once a minute for each session or link.
  await pay(session, { address })
  const other = await make()
  await pay(other, { address })
  await waitFor(() => blockedEvents(other).length > 0)
  expect(blockedEvents(session)).toHaveLength(1)

  const { body } = await call(operator, 'GET', `/api/payment-blocks?correlation_id=${session.correlation_id}`)
  const block = { id: event?.data.block_id, merchant_id: merchant.merchant_id, payable_id: session.id, ...reason }
  expect(body.data).toEqual([
    {
      ...{ ...block, correlation_id: session.correlation_id, ends_at: event?.data.ends_at, lifted_at: null },
      created_at: expect.stringMatching(/Z$/),
    },
  ])
  const lifted = await call(operator, 'POST', `/api/payment-blocks/${block.id}/lift`)
  expect([lifted.status, lifted.body.data]).toEqual([200, { ...body.data[0], lifted_at: expect.stringMatching(/Z$/) }])
  expect((await call(operator, 'GET', `/api/payment-blocks/${block.id}`)).body).toEqual(lifted.body)
  await waitFor(() => service.tap.names(session.correlation_id).includes('payment.unblocked'))
  expect((await pay(session, { address })).status).toBe(200)
})

test('a card that is declined too often is not charged again', async () => {
  status = 'declined'
  for (const _time of [1, 2]) expect((await pay(await make(), { card: 'card one' })).status).toBe(402)
  status = 'approved'
  const session = await make()
  const refused = await pay(session, { card: 'card one' })
  expect([refused.status, refused.body]).toEqual([429, { error: 'rate_limited: too many payments' }])
  expect(transactions.commands.filter(({ data }) => data.payable_id === session.id)).toEqual([])
  expect((await pay(session, { card: 'card two' })).status).toBe(200)
  await waitFor(() => service.tap.names(session.correlation_id).includes('checkout_session.completed'))
  expect(JSON.stringify([...service.tap.messages, ...transactions.commands])).not.toMatch(/crd_|adr_|fingerprint/)
})

test('only operators in whose scope the merchant is see and lift blocks', async () => {
  const list = (caller: Caller) => call(caller, 'GET', '/api/payment-blocks')
  const [{ id }] = (await list(operator)).body.data
  for (const [caller, status] of [
    [merchant, 403],
    [clientCaller(merchant.merchant_id), 403],
    [payer, 401],
  ] as const) {
    expect((await list(caller)).status).toBe(status)
    expect((await call(caller, 'POST', `/api/payment-blocks/${id}/lift`)).status).toBe(status)
  }
  const stranger = newId('mrc')
  const theirs = operatorCaller([stranger], stranger)
  expect((await list(theirs)).body).toMatchObject({ data: [], count: 0 })
  expect((await call(theirs, 'GET', `/api/payment-blocks/${id}`)).status).toBe(403)
  expect((await call(theirs, 'POST', `/api/payment-blocks/${id}/lift`)).status).toBe(403)
  expect((await call(operator, 'POST', `/api/payment-blocks/${newId('pbl')}/lift`)).status).toBe(404)
})
