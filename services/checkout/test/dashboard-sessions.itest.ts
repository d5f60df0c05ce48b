import { checkoutSessions, newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { describeCrud, waitFor } from '@cobro/testing'
import { callsTo, payer } from './checkout-calls.ts'
import { checkoutUnderTest, fakeTransactions } from './checkout-under-test.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
beforeAll(async () => {
  service = await checkoutUnderTest()
})
afterAll(() => service?.stop())

describeCrud(checkoutSessions, {
  sample: {
    create: () => ({ amount_total: 25_000, return_url: 'https://shop.mx/back', external_id: 'A-1' }),
    update: { external_id: 'A-2', metadata: { plan: 'gold' }, customer: { email: 'eva@example.com' } },
    textField: 'external_id',
  },
  service: () => service,
  deletion: 'cancels',
})

const call = callsTo(() => service)
const path = '/api/checkout-sessions'
const keyed = '/checkout/v1/sessions'
const minimal = { amount_total: 25_000, return_url: 'https://shop.mx/back' }
const open = async (caller = keyCaller(), change: object = {}) =>
  (await call(caller, 'POST', path, { ...minimal, ...change })).body.data

test('returns the same session to systems and to the dashboard', async () => {
  const caller = keyCaller()
  const session = await open(caller, { metadata: { a: 1 }, payment_method_types: ['card', 'cash'] })
  expect((await call(caller, 'GET', `${keyed}/${session.id}`)).body).toEqual(session)
  const other = (await call(caller, 'POST', keyed, minimal)).body
  expect((await call(caller, 'GET', `${path}/${other.id}`)).body).toEqual({ data: other })
  await waitFor(() => service.tap.names(session.correlation_id).length > 0)
  expect(service.tap.messages.find(({ target_id }) => target_id === session.id)).toMatchObject({
    name: 'checkout_session.created',
    data: session,
  })
})

test('lists sessions by filter, free text and order', async () => {
  const caller = keyCaller()
  const customer = { first_name: 'Ana', email: 'ana@example.com' }
  const first = await open(caller, { external_id: 'B-2', currency: 'USD', amount_total: 9_000 })
  const second = await open(caller, { external_id: 'C-3', customer })
  await call(caller, 'POST', `${keyed}/${first.id}/cancel`)
  const found = async (query: string) =>
    (await call(caller, 'GET', `${path}?${query}`)).body.data.map((row: { id: string }) => row.id)
  for (const query of ['status=cancelled', 'external_id=B-2', 'currency=USD', 'search=b-2', `search=${first.id}`])
    expect([query, await found(query)]).toEqual([query, [first.id]])
  for (const query of [
    'status=pending',
    'customer_email=ana@example.com',
    'search=ANA@',
    `correlation_id=${second.correlation_id}`,
  ])
    expect([query, await found(query)]).toEqual([query, [second.id]])
  for (const query of ['status=completed', 'external_id=B', 'customer_email=ana', 'search=%25'])
    expect([query, await found(query)]).toEqual([query, []])
  expect(await found('order=amount_total&dir=asc')).toEqual([first.id, second.id])
  expect(await found('order=amount_total')).toEqual([second.id, first.id])
  for (const order of ['modified_at', 'status', 'external_id', 'expires_at'])
    expect([order, (await found(`order=${order}`)).sort()]).toEqual([order, [first.id, second.id].sort()])
  for (const query of ['status=active', 'payment_id=1', 'order=metadata', 'order=customer_email']) {
    const { status, body } = await call(caller, 'GET', `${path}?${query}`)
    expect([query, status, body.error]).toEqual([query, 400, expect.stringContaining(query.split('=')[0]!)])
  }
})

test('finds a session by its customer’s new email address and no longer by the old one', async () => {
  const caller = keyCaller()
  const { id } = await open(caller, { customer: { email: 'old@example.com' } })
  const count = async (email: string) => (await call(caller, 'GET', `${path}?customer_email=${email}`)).body.count
  await call(caller, 'PUT', `${path}/${id}`, { customer: { email: 'new@example.com' } })
  expect([await count('old@example.com'), await count('new@example.com')]).toEqual([0, 1])
  await call(caller, 'PUT', `${path}/${id}`, { external_id: 'A-9' })
  const named = await call(caller, 'PUT', `${path}/${id}`, { customer: { last_name: 'Ruiz' } })
  expect(named.body.data.customer).toEqual({ email: 'new@example.com', last_name: 'Ruiz' })
  expect(await count('new@example.com')).toBe(1)
  const cleared = await call(caller, 'PUT', `${path}/${id}`, { customer: null, external_id: null })
  expect([cleared.body.data.customer, cleared.body.data.external_id, await count('new@example.com')]).toEqual([
    null,
    null,
    0,
  ])
})

test('merges an update, uses it in the charge, and emits checkout_session.updated', async () => {
  const transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
  try {
    const caller = keyCaller()
    const session = await open(caller, { metadata: { a: 1, b: 2 }, external_id: 'A-1' })
    const changed = (await call(caller, 'PUT', `${path}/${session.id}`, { metadata: { c: 3 } })).body.data
    expect(changed).toEqual({ ...session, metadata: { c: 3 }, modified_at: changed.modified_at })
    expect(changed.modified_at).toBeGreaterThanOrEqual(session.modified_at)
    const pay = { method: 'card', card_jwe: 'jwe' }
    // Until the service is connected to the broker, a payment is a 503 and sends nothing.
    await waitFor(
      async () => (await call(payer, 'POST', `/hosted/v1/checkout/${session.id}/payments`, pay)).status === 200,
    )
    expect(transactions.commands.at(-1)?.data).toMatchObject({ metadata: { c: 3 }, order_id: 'A-1' })
    await waitFor(() => service.tap.names(session.correlation_id).includes('checkout_session.completed'))
    expect(service.tap.names(session.correlation_id)).toContain('checkout_session.updated')
    for (const [method, body] of [['PUT', { metadata: null }], ['DELETE']] as const) {
      const refused = await call(caller, method, `${path}/${session.id}`, body)
      expect([method, refused.status, refused.body]).toEqual([
        method,
        409,
        { error: 'conflict: the session is completed' },
      ])
    }
  } finally {
    await transactions.stop()
  }
})

test.each([
  ['the amount', { amount_total: 1 }, 'amount_total'],
  ['the return URL', { return_url: 'https://evil.mx' }, 'return_url'],
  ['the status', { status: 'completed' }, 'status'],
  ['the expiry', { expires_in: 60 }, 'expires_in'],
  ['an unknown field of the customer', { customer: { phone: '1' } }, 'customer.phone'],
])('rejects an update of %s of a session with 400', async (_what, change, field) => {
  const caller = keyCaller()
  const session = await open(caller)
  const { status, body } = await call(caller, 'PUT', `${path}/${session.id}`, change)
  expect([status, body.error]).toEqual([400, `invalid_request: ${field}: unknown field`])
  expect((await call(caller, 'GET', `${path}/${session.id}`)).body.data).toEqual(session)
})

test('rejects updates and deletions of a session with 409 while a payment runs', async () => {
  const transactions = fakeTransactions(service.bus, () => 'pending')
  try {
    const caller = keyCaller()
    const session = await open(caller)
    const pay = { method: 'card', card_jwe: 'jwe' }
    await waitFor(
      async () => (await call(payer, 'POST', `/hosted/v1/checkout/${session.id}/payments`, pay)).status === 202,
    )
    for (const [method, body] of [['PUT', { external_id: 'A-2' }], ['DELETE']] as const) {
      const refused = await call(caller, method, `${path}/${session.id}`, body)
      expect([method, refused.status, refused.body]).toEqual([method, 409, { error: 'conflict: a payment is running' }])
    }
  } finally {
    await transactions.stop()
  }
})

test('cancels a session on deletion, emits the events of a cancellation and shows it to the payer', async () => {
  const caller = keyCaller()
  const session = await open(caller)
  await call(caller, 'DELETE', `${path}/${session.id}`)
  await waitFor(() => service.tap.names(session.correlation_id).length === 4)
  expect(service.tap.names(session.correlation_id)).toEqual([
    'checkout_session.created',
    'payment.cancelled',
    'checkout_session.cancelled',
    'checkout_session.completed',
  ])
  const completed = service.tap.messages.find(
    ({ name, target_id }) => name === 'checkout_session.completed' && target_id === session.id,
  )
  expect(completed?.data).toEqual((await call(caller, 'GET', `${path}/${session.id}`)).body.data)
  const shown = (await call(payer, 'GET', `/hosted/v1/checkout/${session.id}`)).body.data
  expect([shown.status, shown.transaction_status]).toEqual(['cancelled', 'Cancelled'])
})

test('keeps an amount that differs from the sum of its items, and shows the difference as an adjustment', async () => {
  const item = (unit_price: number) => ({ name: 'Taza', quantity: 3, unit_price })
  for (const [unit_price, adjustment_cents] of [
    [8_000, 1_000],
    [9_000, -2_000],
  ]) {
    const { id, amount_total } = await open(keyCaller(), { line_items: [item(unit_price!)] })
    const shown = (await call(payer, 'GET', `/hosted/v1/checkout/${id}`)).body.data
    expect([amount_total, shown.amount_total, shown.adjustment_cents]).toEqual([25_000, 25_000, adjustment_cents])
  }
})

test('accepts an expires_in from one second to a week, and rejects others', async () => {
  const life = async (expires_in: number) => (await call(keyCaller(), 'POST', path, { ...minimal, expires_in })).status
  expect(await Promise.all([1, 604_800, 0, 604_801, 1.5].map(life))).toEqual([201, 201, 400, 400, 400])
})

test('requires https URLs and an expiry of at least a minute in production', async () => {
  const production = await checkoutUnderTest({ environment: 'production' })
  try {
    const post = callsTo(() => production)
    const opened = async (change: object) => {
      const { status, body } = await post(keyCaller(), 'POST', path, { ...minimal, ...change })
      return [status, body.error]
    }
    for (const field of ['return_url', 'success_url', 'cancel_url'])
      for (const address of ['http://shop.mx', 'HTTP://shop.mx'])
        expect(await opened({ [field]: address })).toEqual([400, `invalid_request: ${field}: expected an https URL`])
    expect(await opened({ expires_in: 59 })).toEqual([400, 'invalid_request: expires_in: expected at least 60, got 59'])
    expect(await opened({ expires_in: 60, success_url: 'https://shop.mx/ok' })).toEqual([201, undefined])
    const link = { concepto: 'Curso', amount_cents: 1, expires_in: 59 }
    const refused = await post(keyCaller(), 'POST', '/api/payment-links', link)
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringContaining('expires_in: expected at least 60'),
    ])
  } finally {
    await production.stop()
  }
})

test('answers 404 for the id of a link under the path of sessions', async () => {
  for (const method of ['GET', 'DELETE'])
    expect((await call(keyCaller(), method, `${path}/${newId('pl')}`)).status).toBe(404)
})
