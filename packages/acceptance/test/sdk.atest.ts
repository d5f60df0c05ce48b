import { payByCard } from '@cobro/local-stack'
import {
  AuthenticationError,
  ConflictError,
  createCobro,
  ForbiddenError,
  IdempotencyMismatchError,
  InvalidRequestError,
  NotFoundError,
} from '@cobro/sdk'
import { createCobroAdmin, sessionOf } from '@cobro/sdk/admin'
import { testCards } from '@cobro/sdk/testing'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
beforeAll(async () => {
  stack = await sharedStack()
})
afterAll(() => stack?.stop())

const client = (apiKey = stack.stack.api_key) => createCobro({ apiKey, baseUrl: stack.stack.base_url })
const order = { amount_total: 25_000, success_url: 'https://shop.example/thanks' }

test('a merchant opens a session, sees it paid in the feed, and refunds it', async () => {
  const cobro = client()
  const session = await cobro.checkout.sessions.create({ ...order, metadata: { order: 'A-42' } })
  expect((await payByCard(stack.stack.hosted_url, session.id, '4242424242424242')).status).toBe(200)
  for await (const { event } of cobro.webhookEvents.follow({ events: ['payment.approved'] })) {
    if (event.event !== 'payment.approved' || event.data.metadata?.order !== 'A-42') continue
    const refund = await cobro.transactions.refund(event.data.id)
    expect(refund.refund_status).toBe('processing')
    break
  }
  const found = cobro.transactions.list({
    metadata_key: 'order',
    metadata_value: 'A-42',
    status: ['approved', 'refunded'],
  })
  const [transaction] = await found.toArray({ maxItems: 5 })
  await waitFor(async () => (await cobro.transactions.retrieve(String(transaction?.id))).status === 'refunded')
})

test('lists are complete while rows are added, in pages of any size', async () => {
  const cobro = client()
  const names = Array.from({ length: 25 }, (_, number) => `branch ${number}`)
  for (const name of names) await cobro.sucursales.create({ name })
  const seen: string[] = []
  for await (const { name } of cobro.sucursales.list({ limit: 4 })) {
    if (seen.push(name) === 6) await cobro.sucursales.create({ name: 'added meanwhile' })
  }
  expect(seen).toEqual(names.toReversed())
  const sorted = await cobro.sucursales.list({ order: 'name', dir: 'asc', limit: 10 }).toArray({ maxItems: 100 })
  expect(sorted.map(({ name }) => name)).toEqual(['added meanwhile', ...names].sort())
})

test('errors of the API are typed', async () => {
  const cobro = client()
  const link = await cobro.paymentLinks.create({ amount: '250.00', concepto: 'Curso' })
  expect(link.url).toContain(link.data.id)
  const made = await cobro.checkout.sessions.create(order, { idempotencyKey: 'order-1' })
  expect((await cobro.checkout.sessions.create(order, { idempotencyKey: 'order-1' })).id).toBe(made.id)
  await cobro.checkout.sessions.cancel(made.id)
  const failing: [() => PromiseLike<unknown>, typeof NotFoundError][] = [
    [() => cobro.checkout.sessions.create({ ...order, amount_total: 0 }), InvalidRequestError],
    [() => client('vk_test_wrong').me(), AuthenticationError],
    [() => cobro.transactions.retrieve('txn_01kdvc4x2m8p6q7r9s0t1v2w3x'), NotFoundError],
    [() => client(stack.stack.second.api_key).checkout.sessions.retrieve(made.id), ForbiddenError],
    [() => cobro.checkout.sessions.cancel(made.id), ConflictError],
    [
      () => cobro.checkout.sessions.create({ ...order, amount_total: 1 }, { idempotencyKey: 'order-1' }),
      IdempotencyMismatchError,
    ],
  ]
  for (const [call, kind] of failing) await expect(call()).rejects.toBeInstanceOf(kind)
})

test('users and operators have a client, whose session is refreshed', async () => {
  const { base_url, operator, client: user, merchant_id } = stack.stack
  const open = createCobroAdmin({ baseUrl: base_url })
  const saved: string[] = []
  const session = { ...sessionOf(await open.auth.login(operator)), expiresAtMs: 0 }
  const admin = createCobroAdmin({ baseUrl: base_url, session, store: { save: ({ token }) => void saved.push(token) } })
  const [me, mine] = await Promise.all([admin.me(), admin.forMerchant(merchant_id).me()])
  expect([me.kind, me.merchant, mine.merchant?.id]).toEqual(['operator', null, merchant_id])
  expect(saved).toHaveLength(1)
  const page = await admin.audit.list({ limit: 1 })
  expect(page.data).toHaveLength(1)
  const exported = await admin.audit.export({ format: 'ndjson' })
  expect((await exported.text()).split('\n').length).toBeGreaterThan(2)
  const merchantUser = createCobroAdmin({ baseUrl: base_url, session: sessionOf(await open.auth.login(user)) })
  await expect(merchantUser.audit.list()).rejects.toBeInstanceOf(ForbiddenError)
  expect((await merchantUser.checkout.sessions.create(order)).merchant_id).toBe(merchant_id)
})

test('the test cards of the SDK are those of the sandbox', async () => {
  expect(await client().sandbox.testCards()).toEqual(testCards)
})
