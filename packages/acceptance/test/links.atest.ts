import { payByCard } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { isSigned, startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
let secret: string
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
  receiver = await startReceiver()
  const endpoint = { url: receiver.url, events: ['*'] }
  secret = (await clients.merchant.call('POST', '/api/webhooks', endpoint)).body.secret
})
afterAll(async () => {
  await receiver?.stop()
  await stack?.stop()
})

const input = {
  amount: '250.50',
  concepto: 'Curso de barismo',
  reference: 'A-1042',
  payer_email: 'ana@example.com',
  metadata: { plan: 'gold' },
}
const make = async (change: object = {}) =>
  (await clients.merchant.call('POST', '/checkout/v1/links', { ...input, ...change })).body.data
const read = async ({ id }: { id: string }) =>
  (await clients.merchant.call('GET', `/checkout/v1/links/${id}`)).body.data
const publicOf = async ({ id }: { id: string }) =>
  (await clients.payer.call('GET', `/api/public/links/${id}`)).body.data
/** The webhooks about a link: everything with its id or its transaction's id. */
const webhooksOf = ({ id }: { id: string }) =>
  receiver.received.filter(({ body: { data } }) => data.id === id || data.payment_link_id === id)
const names = (link: { id: string }) => webhooksOf(link).map(({ body }) => body.event as string)
const actionsOf = async (link: { correlation_id: string; merchant_id: string }): Promise<string[]> => {
  const { correlation_id, merchant_id } = link
  const path = `/api/events?correlation_id=${correlation_id}&order=occurred_at&dir=asc&limit=200`
  const { body } = await clients.operator.call('GET', path, undefined, { 'x-merchant-id': merchant_id })
  return body.data.map((event: { action: string }) => event.action)
}

test('shows a link to anyone, declines and then approves its payment, delivers its webhooks, lists it and records it in the audit log', async () => {
  const link = await make()
  expect(await publicOf(link)).toMatchObject({ amount_cents: 25_050, status: 'active', concepto: 'Curso de barismo' })
  const pay = (card: string) => payByCard(stack.stack.hosted_url, link.url, card)
  const request_id = expect.stringMatching(/^req_/)
  const declined = { status: 402, request_id, body: { error: 'insufficient_funds', declined: true } }
  expect(await pay('4000000000009995')).toEqual(declined)
  expect(await pay('4242424242424242')).toEqual({ status: 200, request_id, body: { status: 'approved' } })
  expect((await pay('4242424242424242')).status).toBe(409)

  const paid = await read(link)
  expect(paid).toMatchObject({ status: 'paid', paid_at: expect.any(String), transaction_id: expect.any(String) })
  expect(await publicOf(link)).toMatchObject({ status: 'paid', paid_at: paid.paid_at })
  const listed = await clients.client.call(
    'GET',
    `/api/transactions?correlation_id=${link.correlation_id}&order=created_at&dir=asc`,
  )
  const { reference, payer_email, metadata, merchant_id, correlation_id } = link
  const common = { payment_link_id: link.id, reference, payer_email, metadata, merchant_id, correlation_id }
  expect([listed.body.count, listed.body.data]).toMatchObject([
    2,
    [
      { ...common, status: 'declined', decline_reason: 'insufficient_funds', amount_cents: 25_050, order_id: null },
      { ...common, status: 'approved', id: paid.transaction_id, amount_cents: 25_050, order_id: null },
    ],
  ])

  await waitFor(() => names(link).length >= 4)
  const expected = ['payment.approved', 'payment.declined', 'payment_link.created', 'payment_link.paid']
  expect(names(link).sort()).toEqual(expected)
  for (const webhook of webhooksOf(link))
    expect([webhook.body.event, isSigned(webhook, secret)]).toEqual([webhook.body.event, true])
  expect(webhooksOf(link).find(({ body }) => body.event === 'payment_link.paid')?.body.data).toEqual(paid)

  const wanted = ['payment_link.created', 'payment_link.viewed', 'payment.attempted', 'payment.declined']
  const actions = await waitFor(async () => {
    const found = await actionsOf(link)
    expect(found).toEqual(expect.arrayContaining([...wanted, 'payment.approved', 'payment_link.paid']))
    return found.filter(action => action === 'webhook.delivered').length === 4 && found
  })
  for (const action of ['payment.approved', 'payment_link.paid'])
    expect([action, actions.filter(one => one === action).length]).toEqual([action, 1])
})

test.each([
  ['cancelled by its merchant', 'cancelled', {}, ['payment.cancelled', 'payment_link.created']],
  ['out of time', 'expired', { expires_in: 1 }, ['payment.expired', 'payment.failed', 'payment_link.created']],
])(
  'announces a link %s once, without a transaction, and accepts no further payment',
  async (_what, status, change, expected) => {
    const link = await make(change)
    if (status === 'cancelled') await clients.client.call('DELETE', `/api/payment-links/${link.id}`)
    await waitFor(async () => (await publicOf(link)).status === status)
    await waitFor(() => names(link).length >= expected.length)
    expect(names(link).sort()).toEqual(expected)
    for (const { body } of webhooksOf(link).filter(({ body }) => body.event !== 'payment_link.created'))
      expect([body.event, body.data.id, body.data.status]).toEqual([body.event, link.id, status])
    expect((await payByCard(stack.stack.hosted_url, link.id, '4242424242424242')).status).toBe(409)
    expect(
      (await clients.merchant.call('GET', `/api/transactions?correlation_id=${link.correlation_id}`)).body.count,
    ).toBe(0)
    await waitFor(async () => (await actionsOf(link)).includes(`payment_link.${status}`))
  },
)
