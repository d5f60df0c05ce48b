import { checkoutSession, newId } from '@cobro/contracts'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { payer } from './checkout-calls.ts'
import { checkoutUnderTest } from './checkout-under-test.ts'

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

test('opens a session with every field, and emits checkout_session.created', async () => {
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
  const { expires_in, ...fields } = input
  expect(answer.body).toMatchObject({
    ...fields,
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
  const created = await waitFor(() => service.tap.messages.find(message => message.target_id === answer.body.id))
  expect(created).toMatchObject({
    name: 'checkout_session.created',
    merchant_id: caller.merchant_id,
    data: answer.body,
    actor: { type: 'key', id: caller.id },
  })
})

test("leaves the payer's e-mail address and the line items out of a session that can no longer be paid", async () => {
  const merchant = keyCaller()
  const customer = { first_name: 'Ana', last_name: 'Ruiz', email: 'ana@example.com' }
  const line_items = [{ name: 'Taza', quantity: 2, unit_price: 12_500 }]
  const { id } = (await call('POST', path, { return_url: minimal.return_url, customer, line_items }, merchant)).body
  const shown = async () => {
    const { payer_email, line_items } = (await call('GET', `/hosted/v1/checkout/${id}`, undefined, payer)).body.data
    return [payer_email, line_items]
  }
  expect(await shown()).toEqual(['ana@example.com', [expect.objectContaining({ name: 'Taza' })]])
  const session = (await call('POST', `${path}/${id}/cancel`, undefined, merchant)).body
  expect(await shown()).toEqual([null, []])
  expect([session.customer.email, session.line_items]).toEqual([
    'ana@example.com',
    [expect.objectContaining({ name: 'Taza' })],
  ])
})

test('opens a session with the sum of its items, MXN and an expiry of a day by default', async () => {
  const line_items = [{ name: 'Pan', quantity: 3, unit_price: 1_050 }]
  const { body } = await call('POST', path, { line_items, success_url: 'https://shop.mx/ok' })
  expect(body).toMatchObject({ amount_total: 3_150, currency: 'MXN', return_url: null, customer: null, metadata: null })
  expect(body.expires_at - body.created_at).toBe(86_400_000)
  expect((await call('POST', path, { ...minimal, amount_total: 25_000.0 })).status).toBe(201)
})

test('assigns payment_ids, which are drawn in blocks and increase from call to call, and none of them twice', async () => {
  const created = async () => (await call('POST', path, minimal)).body.payment_id
  const first = await created()
  expect(await created()).toBeGreaterThan(first)
  // More at once than a block has.
  const ids = await Promise.all(Array.from({ length: 70 }, created))
  expect(new Set(ids).size).toBe(70)
  expect(Math.min(...ids)).toBeGreaterThan(first)
})

test.each([
  ['a decimal amount', { amount_total: 250.5 }, 'amount_total: expected an integer in minor units (cents), got 250.5'],
  ['an amount as text', { amount_total: '25000' }, 'amount_total: expected an integer'],
  ['an amount of 1e3 as text', { amount_total: '1e3' }, 'amount_total: expected an integer'],
  ['an amount of zero', { amount_total: 0 }, 'amount_total: expected at least 1'],
  ['a negative amount', { amount_total: -1 }, 'amount_total: expected at least 1'],
  ['an amount above the maximum', { amount_total: 100_000_000_000 }, 'amount_total: expected at most 99999999999'],
  ['an amount of 2^53 + 1', '{"amount_total":9007199254740993,"return_url":"https://a.mx"}', 'amount_total'],
  ['an amount of 1e400', '{"amount_total":1e400,"return_url":"https://a.mx"}', 'amount_total'],
  ['a null amount', { amount_total: null }, 'amount_total'],
  [
    'an array as its amount',
    { amount_total: [25_000] },
    'amount_total: expected an integer in minor units (cents), got an array',
  ],
  ['neither amount nor items', { amount_total: undefined }, 'amount_total: required unless line_items are sent'],
  ['an unlisted currency', { currency: 'JPY' }, 'currency: expected one of MXN, USD'],
  ['a currency in lower case', { currency: 'mxn' }, 'currency: expected an ISO 4217 code'],
  ['no return URL', { return_url: undefined }, 'return_url: required unless success_url is sent'],
  [
    'a javascript return URL',
    { return_url: 'javascript:alert(1)' },
    'return_url: expected an absolute http or https URL',
  ],
  ['a relative return URL', { return_url: '/back' }, 'return_url: expected an absolute'],
  ['credentials in a URL', { success_url: 'https://me:secret@shop.mx' }, 'success_url: expected an absolute'],
  ['an unknown field', { ammount: 1 }, 'ammount: unknown field'],
  ['an unknown field of the customer', { customer: { phone: '1' } }, 'customer.phone: unknown field'],
  ['an item without a price', { line_items: [{ name: 'x', quantity: 1 }] }, 'line_items.0.unit_price'],
  [
    'half a quantity of an item',
    { line_items: [{ name: 'x', quantity: 0.5, unit_price: 1 }] },
    'line_items.0.quantity',
  ],
  [
    'items whose sum exceeds the maximum',
    { amount_total: undefined, line_items: [{ name: 'x', quantity: 2, unit_price: 99_999_999_999 }] },
    'line_items: expected a sum of at most',
  ],
  ['an invalid email address', { customer: { email: 'ana' } }, 'customer.email: expected an e-mail address'],
  ['a color name', { ui_config: { brand_color: 'red' } }, 'ui_config.brand_color: expected a colour as #rrggbb'],
  ['a logo over http', { ui_config: { logo_url: 'http://a.mx/l.png' } }, 'ui_config.logo_url: expected an https URL'],
  ['an expiry of a month', { expires_in: 2_592_000 }, 'expires_in'],
  ['an expiry of zero seconds', { expires_in: 0 }, 'expires_in'],
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
])('rejects a session with %s with 400', async (_what, change, words) => {
  const answer = await call('POST', path, typeof change === 'string' ? change : { ...minimal, ...change })
  expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['error']])
  expect(answer.body.error).toContain(`invalid_request: ${words.startsWith('a key') ? '' : words}`)
  expect(answer.body.error).toContain(words)
  expect(answer.body.error).not.toMatch(/4242|secret/)
})

test('reports the first three errors of an invalid session', async () => {
  const { body } = await call('POST', path, { amount_total: 0, currency: 'x', return_url: 'x', customer: 5, zzz: 1 })
  expect(body.error.match(/; /g)).toHaveLength(2)
  expect(body.error.match(/invalid_request/g)).toHaveLength(1)
})

test.each([
  ['broken JSON', '{"amount_total":', 'application/json', 400],
  ['a list', '[]', 'application/json', 400],
  ['a form', 'amount_total=1', 'application/x-www-form-urlencoded', 415],
  ['1 MiB', JSON.stringify({ ...minimal, external_id: 'x'.repeat(1_048_576) }), 'application/json', 413],
])('rejects %s as the body of a session', async (_what, body, type, status) => {
  const answer = await call('POST', path, body, keyCaller(), type)
  expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
})

test('rejects users and other merchants with 403, unknown sessions with 404 and missing identities with 401', async () => {
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

test('cancels a pending session once, and rejects another cancellation with 409', async () => {
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
