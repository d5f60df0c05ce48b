import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { payByCard, payInCash } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, apiClient, clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  receiver = await startReceiver()
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
  await clients.merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })
  await clients.operator.call('POST', '/api/fee-rules', { name: 'IVA', percent_bps: 360, tax_bps: 1600 }, stated())
})
afterAll(async () => {
  await stack?.stop()
  await receiver?.stop()
})

const good = '4242424242424242'
const order = { amount_total: 25_000, return_url: 'https://shop.mx/back', payment_method_types: ['card', 'cash'] }
const stated = (merchant = stack.stack.merchant_id) => ({ 'x-merchant-id': merchant })
const transactionOf = async (id: string) => (await clients.merchant.call('GET', `/api/transactions/${id}`)).body.data
const sessionOf = async (id: string) => (await clients.merchant.call('GET', `/checkout/v1/sessions/${id}`)).body
const refund = async (id: string, caller: ApiClient = clients.merchant, headers = {}, body?: object) => {
  const answer = await caller.call('POST', `/api/transactions/${id}/refund`, body, headers)
  return { status: answer.status, error: answer.body.error as string | undefined, data: answer.body.data }
}
const openSession = async () => (await clients.merchant.call('POST', '/checkout/v1/sessions', order)).body

/** Pays a session with a card; returns the ids of the session and the transaction. */
async function paid(card = good): Promise<{ session: string; id: string }> {
  const { id: session } = await openSession()
  await payByCard(stack.stack.hosted_url, session, card)
  return { session, id: (await sessionOf(session)).transaction_id }
}
/** Makes the card network resolve a dispute, which the sandbox allows to holders of its key. */
async function endDispute(id: string, outcome: 'won' | 'lost'): Promise<void> {
  const { acquirer_api_key } = JSON.parse(await readFile(join(stack.dir, 'secrets.json'), 'utf8'))
  const [{ reference }] = await stack.query(
    'select acquirer_reference as reference from transactions.disputes where id = $1',
    [id],
  )
  const answer = await fetch(`${stack.stack.acquirer_url}/v1/sandbox/disputes/${reference}/close`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acquirer_api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ outcome }),
  })
  expect(answer.status).toBe(200)
}
const byHand = async (change: object = {}) => {
  const sale = { rail: 'online_cnp', payment_method: 'card', amount_cents: 25_000, ...change }
  return (await clients.operator.call('POST', '/api/transactions', sale, stated())).body.data.id as string
}
/** Polls until the transaction matches. */
const becomes = (id: string, expected: Record<string, unknown>) =>
  waitFor(async () => {
    const row = await transactionOf(id)
    return Object.entries(expected).every(([name, value]) => row[name] === value) ? row : undefined
  })
const actionsOf = (correlation_id: string, wanted: string) =>
  waitFor(async () => {
    const path = `/api/events?correlation_id=${correlation_id}&limit=200`
    const { body } = await clients.operator.call('GET', path, undefined, stated())
    const actions: string[] = body.data.map((event: { action: string }) => event.action)
    return actions.includes(wanted) ? actions : undefined
  })
const webhooksOf = (id: string) =>
  receiver.received.filter(({ body }) => body.data.id === id).map(({ body }) => body.event as string)
const checked = async () => (await clients.operator.call('GET', '/api/ledger/check')).body.data
/** The refund's rows in transactions and at the acquirer, and its ledger entries. */
const traces = async (id: string) => ({
  refunds: await stack.query('select status from transactions.refunds where transaction_id = $1 order by created_at', [
    id,
  ]),
  acquirer: await stack.query(
    `select r.status from acquirer_sandbox.refunds r join transactions.transactions t
       on r.charge_key = t.payment_intent_id || ':' || t.attempt where t.id = $1 order by r.created_at`,
    [id],
  ),
  entries: await stack.query(
    `select sum(amount_cents)::integer as cents from transactions.ledger_entries
     where transaction_id = $1 and event = 'refund' and credit = 'receivable_acquirer'`,
    [id],
  ),
})

test('makes one refund of a hundred concurrent requests by three kinds of callers: one row, one acquirer refund, one webhook, one posting', async () => {
  const { id, session } = await paid()
  expect(await transactionOf(id)).toMatchObject({ status: 'approved', fee_cents: 1_044, refund_status: null })
  const callers = [clients.merchant, clients.client, clients.operator]
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => refund(id, callers[i % 3], i % 3 === 2 ? stated() : {})),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...Array(99).fill(409)])
  // The acquirer may confirm the refund before the last request arrives.
  const conflicts = ['conflict: a refund is being processed', 'conflict: the transaction is refunded']
  for (const { status, error } of answers) if (status === 409) expect(conflicts).toContain(error)
  expect(answers.find(({ status }) => status === 202)?.data).toMatchObject({
    ...{ status: 'approved', refund_status: 'processing', refunded_at: null },
    refund_id: expect.stringMatching(/^rfd_/),
  })
  const row = await becomes(id, { status: 'refunded', refund_status: 'completed', fee_cents: 1_044 })
  expect(row.refunded_at > row.refund_requested_at).toBe(true)
  expect(await actionsOf(row.correlation_id, 'payment.refunded')).toContain('payment.refund_requested')
  expect(await traces(id)).toEqual({
    refunds: [{ status: 'completed' }],
    acquirer: [{ status: 'completed' }],
    entries: [{ cents: 25_000 }],
  })
  await waitFor(() => webhooksOf(id).includes('payment.refunded'))
  expect(webhooksOf(id).filter(event => event === 'payment.refunded')).toHaveLength(1)
  await waitFor(async () => (await sessionOf(session)).transaction_status === 'Refunded')
  expect((await sessionOf(session)).status).toBe('completed')
  expect(await refund(id)).toMatchObject({ status: 409, error: 'conflict: the transaction is refunded' })
  expect(await checked()).toMatchObject({ ok: true, first_fault: null })
})

test('records a failed refund in the audit log only, and completes it when it is requested again', async () => {
  const { id, session } = await paid('4000000000005126')
  const first = (await refund(id)).data.refund_id
  const row = await becomes(id, { refund_status: 'failed' })
  expect(row).toMatchObject({ status: 'approved', refunded_at: null, refund_id: first })
  expect(await actionsOf(row.correlation_id, 'payment.refund_failed')).not.toContain('payment.refunded')
  expect((await sessionOf(session)).transaction_status).toBe('Approved')
  // The issuer accepts it now.
  await stack.query(
    `update acquirer_sandbox.tokens set behaviour = 'approved' where token in (
       select token from acquirer_sandbox.charges c join transactions.transactions t
         on c.key = t.payment_intent_id || ':' || t.attempt where t.id = $1)`,
    [id],
  )
  const second = await refund(id)
  expect(second).toMatchObject({ status: 202, data: { refund_status: 'processing' } })
  expect(second.data.refund_id).not.toBe(first)
  await becomes(id, { status: 'refunded', refund_status: 'completed' })
  expect((await traces(id)).refunds).toEqual([{ status: 'failed' }, { status: 'completed' }])
  await waitFor(() => webhooksOf(id).includes('payment.refunded'))
  expect(webhooksOf(id).filter(event => event === 'payment.refunded')).toHaveLength(1)
})

test('rejects a refund of anything but an approved card payment, with the reason', async () => {
  const cash = await openSession()
  expect(await payInCash(stack.stack.hosted_url, cash.id)).toMatchObject({ status: 202 })
  const declined = await openSession()
  await payByCard(stack.stack.hosted_url, declined.id, '4000000000000002')
  const found = async (order: string) =>
    (await stack.query('select id from transactions.transactions where payable_id = $1', [order]))[0].id as string
  const disputed = await byHand()
  await clients.operator.call('POST', '/api/disputes', { transaction_id: disputed, reason: 'fraudulent' }, stated())
  const cancelled = await byHand({ status: 'pending' })
  await clients.operator.call('PUT', `/api/transactions/${cancelled}`, { status: 'cancelled' }, stated())
  const refusals = {
    [await byHand({ status: 'pending' })]: 'the transaction is pending',
    [cancelled]: 'the transaction is cancelled',
    [await found(declined.id)]: 'the transaction is declined',
    [await found(cash.id)]: 'only a card payment can be refunded',
    [await byHand({ payment_method: 'cash' })]: 'only a card payment can be refunded',
    [disputed]: 'the transaction is chargeback',
  }
  for (const [id, why] of Object.entries(refusals)) {
    expect([await refund(id), why]).toEqual([{ status: 409, error: `conflict: ${why}`, data: undefined }, why])
    expect(await transactionOf(id)).toMatchObject({ refund_status: null, refund_id: null })
  }
  const id = await byHand()
  // A request for a partial refund must not become a full one.
  for (const body of [{ amount_cents: 100 }, { amount: 1 }, { reason: 'fraud' }, []]) {
    expect([body, (await refund(id, clients.merchant, {}, body)).status]).toEqual([body, 400])
  }
  expect(await refund(id, clients.merchant, {}, {})).toMatchObject({ status: 202, data: { status: 'refunded' } })
})

test('lets the merchant and an operator who states that merchant refund, and no one else', async () => {
  const id = await byHand()
  const { second } = stack.stack
  const { body } = await apiClient(stack.stack.base_url).call('POST', '/api/auth/login', second.client)
  const theirClient = apiClient(stack.stack.base_url, { authorization: `Bearer ${body.token}` })
  const { merchant, stranger, client, operator, payer } = clients
  const unknown = id.replace(/.{6}$/, '000000')
  for (const [who, status, asking] of [
    ["another merchant's key", 403, refund(id, stranger)],
    ["another merchant's key that states ours", 403, refund(id, stranger, stated())],
    ["another merchant's user", 403, refund(id, theirClient)],
    ["another merchant's user who states ours", 403, refund(id, theirClient, stated())],
    ['an operator who states another merchant', 403, refund(id, operator, stated(second.merchant_id))],
    ['an operator who states none', 400, refund(id, operator)],
    ['payer', 401, refund(id, payer)],
    ['its merchant, of what is not there', 404, refund(unknown, merchant)],
    ['its merchant, of what is no id', 404, refund('txn_1', merchant)],
  ] as const) {
    expect([who, (await asking).status]).toEqual([who, status])
  }
  expect(await transactionOf(id)).toMatchObject({ status: 'approved', refund_status: null, refund_id: null })
  expect((await traces(id)).refunds).toEqual([])
  // The merchant that a merchant's own user states is ignored.
  expect((await refund(id, client, stated(second.merchant_id))).status).toBe(202)
  const others = [await byHand(), await byHand()]
  expect((await refund(`${others[0]}`, operator, stated())).status).toBe(202)
  const asked = await operator.call(
    'POST',
    `/api/transactions/${others[1]}/refund?merchant_id=${stack.stack.merchant_id}`,
  )
  expect(asked.status).toBe(202)
})

test('returns the same refund for a repetition under the same key', async () => {
  const { id } = await paid()
  const key = { 'idempotency-key': `refund ${id}` }
  const first = await refund(id, clients.merchant, key)
  await becomes(id, { status: 'refunded' })
  expect(await refund(id, clients.merchant, key)).toEqual(first)
  expect((await traces(id)).refunds).toHaveLength(1)
})

test('turns a disputed payment into a chargeback and returns the money once the dispute is won', async () => {
  const { id, session } = await paid('4000000000000259')
  await becomes(id, { status: 'chargeback' })
  expect(await refund(id)).toMatchObject({ status: 409, error: 'conflict: the transaction is chargeback' })
  const path = `/api/disputes?transaction_id=${id}`
  const [dispute] = (await clients.merchant.call('GET', path)).body.data
  expect(dispute).toMatchObject({ status: 'open', amount_cents: 25_000 })
  const win = await clients.operator.call('PUT', `/api/disputes/${dispute.id}`, { status: 'won' }, stated())
  expect([win.status, win.body.error]).toEqual([409, 'conflict: the acquirer says how this dispute ends'])
  await endDispute(dispute.id, 'won')
  await becomes(id, { status: 'approved' })
  expect(await sessionOf(session)).toMatchObject({ status: 'completed', transaction_status: 'Approved' })
  expect(await checked()).toMatchObject({ ok: true, first_fault: null })
})
