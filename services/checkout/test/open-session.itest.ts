import { checkoutSession, newId } from '@cobro/contracts'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { checkoutUnderTest } from './checkout-service.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
beforeAll(async () => {
  service = await checkoutUnderTest()
})
afterAll(() => service.stop())

const call = async (
  method: string,
  path: string,
  body?: unknown,
  caller: Parameters<typeof service.headers>[0] = keyCaller(),
  type = 'application/json',
) => {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { ...(await service.headers(caller)), ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}
const minimal = { amount_total: 25_000, return_url: 'https://shop.mx/back' }
const path = '/checkout/v1/sessions'

test('opens a session with every field, and tells it', async () => {
  const caller = keyCaller()
  const input = {
    amount_total: 25_000,
    currency: 'USD',
    customer: { first_name: 'Ana', last_name: 'Ruiz', email: 'ana@example.com' },
    line_items: [{ name: 'Taza', quantity: 2, unit_price: 12_500, product_id: 'T-1' }],
    return_url: 'https://shop.mx/back',
    success_url: 'http://localhost:3000/ok?x=1',
    cancel_url: 'https://shop.mx/no',
    external_id: 'A-1',
    metadata: { plan: { tier: 'gold' } },
    payment_method_types: ['card'],
    ui_config: { locale: 'en', brand_color: '#0a7d5c', later: true },
    expires_in: 600,
  }
  const answer = await call('POST', path, input, caller)
  expect(answer.status).toBe(201)
  expect(Object.keys(answer.body).sort()).toEqual(Object.keys(checkoutSession.shape).sort())
  const { expires_in, ...kept } = input
  expect(answer.body).toMatchObject({
    ...kept,
    url: `https://pay.example.com/checkout/${answer.body.id}`,
    status: 'pending',
    transaction_status: 'Pending',
    session_type: 'payment',
    checkout_type: 'hosted',
    ui_config_version: 'V1',
    merchant_id: caller.merchant_id,
    payment_id: expect.any(Number),
    expires_at: answer.body.created_at + expires_in * 1000,
    modified_at: answer.body.created_at,
  })
  expect(answer.headers.get('x-cobro-correlation-id')).toBe(answer.body.correlation_id)
  const read = await call('GET', `${path}/${answer.body.id}`, undefined, caller)
  expect([read.status, read.body]).toEqual([200, answer.body])
  const told = await waitFor(() => service.tap.messages.find(message => message.target_id === answer.body.id))
  expect(told).toMatchObject({
    name: 'checkout_session.created',
    merchant_id: caller.merchant_id,
    data: answer.body,
    actor: { type: 'key', id: caller.id },
  })
})

test('needs little: the amount follows from the items, the currency is MXN, it lasts a day', async () => {
  const line_items = [{ name: 'Pan', quantity: 3, unit_price: 1_050 }]
  const { body } = await call('POST', path, { line_items, success_url: 'https://shop.mx/ok' })
  expect(body).toMatchObject({ amount_total: 3_150, currency: 'MXN', return_url: null, customer: null, metadata: null })
  expect(body.expires_at - body.created_at).toBe(86_400_000)
  expect((await call('POST', path, { ...minimal, amount_total: 25_000.0 })).status).toBe(201)
})

test('payment_id counts up', async () => {
  const first = await call('POST', path, minimal)
  const second = await call('POST', path, minimal)
  expect(second.body.payment_id).toBeGreaterThan(first.body.payment_id)
})

test.each([
  ['a decimal amount', { amount_total: 250.5 }, 'amount_total: expected an integer in minor units (cents), got 250.5'],
  ['text for an amount', { amount_total: '25000' }, 'amount_total: expected an integer'],
  ['1e3 as text', { amount_total: '1e3' }, 'amount_total: expected an integer'],
  ['zero', { amount_total: 0 }, 'amount_total: expected at least 1'],
  ['a negative amount', { amount_total: -1 }, 'amount_total: expected at least 1'],
  ['too much money', { amount_total: 100_000_000_000 }, 'amount_total: expected at most 99999999999'],
  ['2^53 + 1', '{"amount_total":9007199254740993,"return_url":"https://a.mx"}', 'amount_total'],
  ['1e400', '{"amount_total":1e400,"return_url":"https://a.mx"}', 'amount_total'],
  ['null for an amount', { amount_total: null }, 'amount_total'],
  [
    'an array for an amount',
    { amount_total: [25_000] },
    'amount_total: expected an integer in minor units (cents), got an array',
  ],
  ['neither amount nor items', { amount_total: undefined }, 'amount_total: required unless line_items are sent'],
  ['an unlisted currency', { currency: 'JPY' }, 'currency: expected one of MXN, USD'],
  ['a currency in lower case', { currency: 'mxn' }, 'currency: expected an ISO 4217 code'],
  ['no way back', { return_url: undefined }, 'return_url: required unless success_url is sent'],
  [
    'a script for a way back',
    { return_url: 'javascript:alert(1)' },
    'return_url: expected an absolute http or https URL',
  ],
  ['a relative way back', { return_url: '/back' }, 'return_url: expected an absolute'],
  ['credentials in a URL', { success_url: 'https://me:secret@shop.mx' }, 'success_url: expected an absolute'],
  ['an unknown field', { ammount: 1 }, 'ammount: unknown field'],
  ['an unknown field of the customer', { customer: { phone: '1' } }, 'customer.phone: unknown field'],
  ['an item without a price', { line_items: [{ name: 'x', quantity: 1 }] }, 'line_items.0.unit_price'],
  ['half an item', { line_items: [{ name: 'x', quantity: 0.5, unit_price: 1 }] }, 'line_items.0.quantity'],
  [
    'too large a sum',
    { amount_total: undefined, line_items: [{ name: 'x', quantity: 2, unit_price: 99_999_999_999 }] },
    'line_items: expected a sum of at most',
  ],
  ['a bad e-mail', { customer: { email: 'ana' } }, 'customer.email: expected an e-mail address'],
  ['a colour by name', { ui_config: { brand_color: 'red' } }, 'ui_config.brand_color: expected a colour as #rrggbb'],
  ['a logo over http', { ui_config: { logo_url: 'http://a.mx/l.png' } }, 'ui_config.logo_url: expected an https URL'],
  ['a month of time', { expires_in: 2_592_000 }, 'expires_in'],
  ['no time at all', { expires_in: 0 }, 'expires_in'],
  ['an unknown payment method', { payment_method_types: ['crypto'] }, 'payment_method_types.0'],
  ['no payment method', { payment_method_types: [] }, 'payment_method_types'],
  [
    'too deep metadata',
    { metadata: { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } } },
    'metadata: expected at most 5 levels',
  ],
  [
    'too many metadata keys',
    { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 1])) },
    'metadata: expected at most 50 keys',
  ],
  ['too much metadata', { metadata: { a: 'x'.repeat(17_000) } }, 'metadata: expected at most 16 KiB'],
  [
    'a card number in metadata',
    { metadata: { note: '4242424242424242' } },
    'metadata.note: card numbers are not accepted here',
  ],
  [
    'a prototype key',
    '{"amount_total":1,"return_url":"https://a.mx","metadata":{"__proto__":{"x":1}}}',
    'a key is not allowed',
  ],
])('refuses %s', async (_what, change, words) => {
  const answer = await call('POST', path, typeof change === 'string' ? change : { ...minimal, ...change })
  expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['error']])
  expect(answer.body.error).toContain(`invalid_request: ${words.startsWith('a key') ? '' : words}`)
  expect(answer.body.error).toContain(words)
  expect(answer.body.error).not.toMatch(/4242|secret/)
})

test('names the first three faults of several', async () => {
  const { body } = await call('POST', path, { amount_total: 0, currency: 'x', return_url: 'x', customer: 5, zzz: 1 })
  expect(body.error.match(/; /g)).toHaveLength(2)
  expect(body.error.match(/invalid_request/g)).toHaveLength(1)
})

test.each([
  ['broken JSON', '{"amount_total":', 'application/json', 400],
  ['a list', '[]', 'application/json', 400],
  ['a form', 'amount_total=1', 'application/x-www-form-urlencoded', 415],
  ['1 MiB', JSON.stringify({ ...minimal, external_id: 'x'.repeat(1_048_576) }), 'application/json', 413],
])('refuses %s as a body', async (_what, body, type, status) => {
  const answer = await call('POST', path, body, keyCaller(), type)
  expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
})

test('refuses users, strangers, and what does not exist', async () => {
  const { body } = await call('POST', path, minimal)
  const client = { ...keyCaller(body.merchant_id), kind: 'client' as const, id: newId('usr') }
  expect((await call('POST', path, minimal, client)).status).toBe(403)
  expect((await call('POST', path, minimal, operatorCaller('all', body.merchant_id))).status).toBe(403)
  expect((await call('GET', `${path}/${body.id}`, undefined, keyCaller())).status).toBe(403)
  expect((await call('POST', `${path}/${body.id}/cancel`, undefined, keyCaller())).status).toBe(403)
  expect((await call('GET', `${path}/${newId('cs')}`)).status).toBe(404)
  expect((await call('GET', `${path}/cs_1`)).status).toBe(404)
  const wrongMethod = await call('DELETE', `${path}/${body.id}`)
  expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET'])
  expect((await fetch(`${service.url}${path}`, { method: 'POST' })).status).toBe(401)
})

test('cancels a pending session once', async () => {
  const caller = keyCaller()
  const { body } = await call('POST', path, minimal, caller)
  const cancelled = await call('POST', `${path}/${body.id}/cancel`, undefined, caller)
  expect([cancelled.status, cancelled.body]).toMatchObject([
    200,
    { status: 'cancelled', transaction_status: 'Cancelled' },
  ])
  const again = await call('POST', `${path}/${body.id}/cancel`, {}, caller)
  expect([again.status, again.body.error]).toEqual([409, 'conflict: the session is cancelled'])
  await waitFor(() => service.tap.names(body.correlation_id).includes('checkout_session.completed'))
  expect(service.tap.names(body.correlation_id)).toEqual([
    'checkout_session.created',
    'payment.cancelled',
    'checkout_session.cancelled',
    'checkout_session.completed',
  ])
})

test('expires a session within 5 s of its time, with its events, once', async () => {
  const caller = keyCaller()
  const { body } = await call('POST', path, { ...minimal, expires_in: 1 }, caller)
  await waitFor(async () => (await call('GET', `${path}/${body.id}`, undefined, caller)).body.status === 'expired', {
    timeoutMs: 6_000,
  })
  await waitFor(() => service.tap.names(body.correlation_id).length === 5)
  expect(service.tap.names(body.correlation_id).slice(1)).toEqual([
    'payment.expired',
    'payment.failed',
    'checkout_session.expired',
    'checkout_session.completed',
  ])
  const failed = service.tap.messages.find(
    message => message.name === 'payment.failed' && message.correlation_id === body.correlation_id,
  )
  expect(failed?.data).toMatchObject({ id: body.id, status: 'expired' })
})

test('expires what is due however much it is, past a row that cannot be told, and exactly once', async () => {
  const caller = keyCaller()
  const bad = (await call('POST', path, { ...minimal, expires_in: 60 }, caller)).body
  await service.database.query(
    `insert into checkout.checkout_sessions
     select (jsonb_populate_record(s, jsonb_build_object('id', 'cs_01jd' || lpad(n::text, 22, '0'), 'payment_intent_id', 'pi_01jd' || lpad(n::text, 22, '0'), 'payment_id', 1000000 + n))).*
     from checkout.checkout_sessions s, generate_series(1, 1200) n where s.id = $1`,
    [bad.id],
  )
  await service.database.query(`update checkout.checkout_sessions set customer = '{"email": 5}' where id = $1`, [
    bad.id,
  ])
  await service.database.query(
    `update checkout.checkout_sessions set expires_at = now() - interval '1 hour' where id = $1`,
    [bad.id],
  )
  const started = Date.now()
  await service.database.query(`update checkout.checkout_sessions set expires_at = now() where payment_id > 1000000`)
  const left = async () =>
    (
      await service.database.query(
        `select count(*)::int as n from checkout.checkout_sessions where status = 'pending' and payment_id > 1000000`,
      )
    )[0].n
  await waitFor(async () => (await left()) === 0, { timeoutMs: 25_000, intervalMs: 100 })
  expect(Date.now() - started).toBeLessThan(25_000)
  await waitFor(
    () =>
      service.tap.messages.filter(
        message => message.name === 'payment.expired' && message.target_id?.startsWith('cs_01jd'),
      ).length >= 1200,
  )
  expect(
    service.tap.messages.filter(
      message => message.name === 'payment.expired' && message.target_id?.startsWith('cs_01jd'),
    ),
  ).toHaveLength(1200)
  expect((await call('GET', `${path}/${newId('cs')}`, undefined, caller)).status).toBe(404)
}, 60_000)
