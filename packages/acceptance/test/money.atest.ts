import { payHosted } from '@cobro/local'
import { waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await acceptanceStack()
  clients = await clientsOf(stack.stack)
}, 120_000)
afterAll(() => stack?.stop(), 60_000)

const order = { amount_total: 25_000, return_url: 'https://shop.mx/back' }
const stated = () => ({ 'x-merchant-id': stack.stack.merchant_id })
const transactionOf = async (id: string) => (await clients.merchant.call('GET', `/api/transactions/${id}`)).body.data

/** A payment with a card, and its transaction's id. */
async function paid(card: string): Promise<string> {
  const { id } = (await clients.merchant.call('POST', '/checkout/v1/sessions', order)).body
  await payHosted(stack.stack.hosted_url, id, card)
  return (await clients.merchant.call('GET', `/checkout/v1/sessions/${id}`)).body.transaction_id
}
/** The transaction once it is as expected; until then it is asked for again. */
const becomes = (id: string, expected: Record<string, unknown>) =>
  waitFor(
    async () => {
      const row = await transactionOf(id)
      return Object.entries(expected).every(([name, value]) => row[name] === value) ? row : undefined
    },
    { timeoutMs: 20_000 },
  )
const actionsOf = (correlation_id: string, wanted: string) =>
  waitFor(async () => {
    const path = `/api/events?correlation_id=${correlation_id}&limit=200`
    const { body } = await clients.operator.call('GET', path, undefined, stated())
    const actions: string[] = body.data.map((event: { action: string }) => event.action)
    return actions.includes(wanted) ? actions : undefined
  })
const checked = async () => (await clients.operator.call('GET', '/api/ledger/check')).body.data

test('a refund is asked for once by a hundred callers, confirmed by the acquirer, and booked', async () => {
  await clients.operator.call('POST', '/api/fee-rules', { name: 'IVA', percent_bps: 360, tax_bps: 1600 }, stated())
  const id = await paid('4242424242424242')
  expect(await transactionOf(id)).toMatchObject({ status: 'approved', fee_cents: 1_044, refund_status: null })
  const ask = () => clients.merchant.call('POST', `/api/transactions/${id}/refund`)
  const statuses = (await Promise.all(Array.from({ length: 100 }, ask))).map(answer => answer.status)
  expect(statuses.toSorted()).toEqual([202, ...Array(99).fill(409)])
  const row = await becomes(id, { status: 'refunded', refund_status: 'completed' })
  expect(row.refunded_at > row.refund_requested_at).toBe(true)
  expect(await actionsOf(row.correlation_id, 'payment.refunded')).toContain('payment.refund_requested')
  expect(await checked()).toMatchObject({ ok: true, first_fault: null })
}, 60_000)

test('a refund that fails may be asked for again', async () => {
  const id = await paid('4000000000005126')
  const ask = () => clients.merchant.call('POST', `/api/transactions/${id}/refund`)
  expect((await ask()).status).toBe(202)
  const row = await becomes(id, { refund_status: 'failed' })
  expect(row).toMatchObject({ status: 'approved', refunded_at: null })
  expect(await actionsOf(row.correlation_id, 'payment.refund_failed')).not.toContain('payment.refunded')
  expect((await ask()).status).toBe(202)
}, 60_000)

test('a disputed payment becomes a chargeback whose money comes back once it is won', async () => {
  const id = await paid('4000000000000259')
  await becomes(id, { status: 'chargeback' })
  expect((await clients.merchant.call('POST', `/api/transactions/${id}/refund`)).status).toBe(409)
  const path = `/api/disputes?transaction_id=${id}`
  const [dispute] = (await clients.merchant.call('GET', path)).body.data
  expect(dispute).toMatchObject({ status: 'open', amount_cents: 25_000 })
  await clients.operator.call('PUT', `/api/disputes/${dispute.id}`, { status: 'won' }, stated())
  expect(await transactionOf(id)).toMatchObject({ status: 'approved' })
  expect(await checked()).toMatchObject({ ok: true, first_fault: null })
}, 60_000)
