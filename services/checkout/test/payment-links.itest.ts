import { newId, paymentLink, paymentLinks } from '@cobro/contracts'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { describeCrud, waitFor } from '@cobro/testing'
import { callsTo } from './checkout-calls.ts'
import { checkoutUnderTest } from './checkout-under-test.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
beforeAll(async () => {
  service = await checkoutUnderTest()
})
afterAll(() => service?.stop())

describeCrud(paymentLinks, {
  sample: {
    create: () => ({
      concepto: 'Curso de barismo',
      amount_cents: 25_000,
      reference: 'A-1',
      metadata: { plan: 'gold' },
    }),
    update: { concepto: 'Curso de latte', reference: null, metadata: { tier: { level: 2 } }, amount_cents: 30_000 },
    textField: 'concepto',
  },
  service: () => service,
  deletion: 'cancels',
})

const call = callsTo(() => service)
const keyed = '/checkout/v1/links'
const dashboard = '/api/payment-links'
const minimal = { concepto: 'Curso', amount_cents: 25_000 }
const dayMs = 86_400_000
const make = async (caller = keyCaller(), change: object = {}) =>
  (await call(caller, 'POST', keyed, { ...minimal, ...change })).body.data

test.each([keyed, dashboard])('POST %s creates a link with every field and emits payment_link.created', async path => {
  const caller = keyCaller()
  const input = {
    concepto: 'Curso de barismo',
    amount: '250.50',
    reference: 'A-1042',
    currency: 'USD',
    payment_method_types: ['cash', 'card'],
    expires_in: 600,
    metadata: { plan: { tier: 'gold' } },
    payer_email: 'ana@example.com',
  }
  const { status, headers, body } = await call(caller, 'POST', path, input)
  const { amount, expires_in, ...fields } = input
  expect([status, Object.keys(body)]).toEqual([201, path === keyed ? ['data', 'url'] : ['data']])
  expect(Object.keys(body.data).sort()).toEqual(Object.keys(paymentLink.shape).sort())
  expect(body.data).toMatchObject({
    ...fields,
    amount_cents: 25_050,
    url: `https://pay.example.com/links/${body.data.id}`,
    status: 'active',
    transaction_id: null,
    paid_at: null,
    merchant_id: caller.merchant_id,
    updated_at: body.data.created_at,
    expires_at: new Date(Date.parse(body.data.created_at) + expires_in * 1000).toISOString(),
  })
  if (path === keyed) expect(body.url).toBe(body.data.url)
  expect(headers.get('x-cobro-correlation-id')).toBe(body.data.correlation_id)
  for (const one of [keyed, dashboard]) {
    const read = await call(caller, 'GET', `${one}/${body.data.id}`)
    expect([one, read.status, read.body]).toEqual([one, 200, { data: body.data }])
  }
  const created = await waitFor(() => service.tap.messages.find(message => message.target_id === body.data.id))
  expect(created).toMatchObject({
    name: 'payment_link.created',
    merchant_id: caller.merchant_id,
    correlation_id: body.data.correlation_id,
    data: body.data,
    actor: { type: 'key', id: caller.id },
  })
})

test('creates a link with MXN, card payments and an expiry of thirty days by default', async () => {
  const link = await make()
  expect(link).toMatchObject({
    currency: 'MXN',
    payment_method_types: ['card'],
    reference: null,
    metadata: null,
    payer_email: null,
  })
  expect(Date.parse(link.expires_at) - Date.parse(link.created_at)).toBe(30 * dayMs)
})

test.each([
  ['250', 25_000],
  ['250.5', 25_050],
  ['"250.00"', 25_000],
  ['4.35', 435],
  ['1e2', 10_000],
  ['"0.01"', 1],
  ['999999999.99', 99_999_999_999],
])('converts the amount %s in pesos to %i cents', async (amount, cents) => {
  const { status, body } = await call(keyCaller(), 'POST', keyed, `{"concepto":"Curso","amount":${amount}}`)
  expect([status, body.data?.amount_cents]).toEqual([201, cents])
})

test('accepts an expires_at of at most a year ahead', async () => {
  const caller = keyCaller()
  const ahead = (days: number) => new Date(Date.now() + days * dayMs).toISOString()
  const expires_at = ahead(365)
  expect((await make(caller, { expires_at })).expires_at).toBe(expires_at)
  for (const [at, words] of [
    [ahead(367), 'expires_at: expected a time ahead, at most a year'],
    [ahead(-1), 'expires_at: expected a time ahead'],
    ['tomorrow', 'expires_at: expected an ISO 8601 UTC time'],
  ]) {
    const { status, body } = await call(caller, 'POST', keyed, { ...minimal, expires_at: at })
    expect([status, body.error]).toEqual([400, expect.stringContaining(words!)])
  }
})

const neither = 'amount_cents: expected exactly one of amount_cents (cents) and amount (pesos)'
test.each([
  ['both amounts', { amount: 250 }, neither],
  ['neither amount', { amount_cents: undefined }, neither],
  ['a third decimal', { amount_cents: undefined, amount: 1.005 }, 'amount: expected pesos with at most two decimals'],
  ['an exponent in text', { amount_cents: undefined, amount: '1e3' }, 'amount: expected pesos'],
  ['a list as its amount', { amount_cents: undefined, amount: [1] }, 'amount: expected pesos as a number or text'],
  ['an amount of zero pesos', { amount_cents: undefined, amount: '0.00' }, 'amount: expected at least 1'],
  ['half a cent', { amount_cents: 0.5 }, 'amount_cents: expected an integer'],
  ['an amount of zero cents', { amount_cents: 0 }, 'amount_cents: expected at least 1'],
  ['no concepto', { concepto: undefined }, 'concepto: required'],
  ['a blank concepto', { concepto: '   ' }, 'concepto: expected more than blanks'],
  ['a long concepto', { concepto: 'x'.repeat(251) }, 'concepto: too big'],
  ['a long reference', { reference: 'x'.repeat(65) }, 'reference: too big'],
  ['a card number as a reference', { reference: '4242424242424242' }, 'reference: card numbers are not accepted'],
  ['an unlisted currency', { currency: 'EUR' }, 'currency: expected one of MXN, USD'],
  ['an unknown method', { payment_method_types: ['spei'] }, 'payment_method_types.0'],
  ['a method twice', { payment_method_types: ['card', 'card'] }, 'payment_method_types: expected each method once'],
  ['an expiry of zero seconds', { expires_in: 0 }, 'expires_in: too small'],
  ['an invalid email address', { payer_email: 'ana' }, 'payer_email: expected an e-mail address'],
  ['deep metadata', { metadata: { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } } }, 'metadata: expected at most 5'],
])('rejects a link with %s with 400', async (_what, change, words) => {
  for (const path of [keyed, dashboard]) {
    const { status, body } = await call(keyCaller(), 'POST', path, { ...minimal, ...change })
    expect([path, status, Object.keys(body)]).toEqual([path, 400, ['error']])
    expect(body.error).toContain(`invalid_request: ${words}`)
    expect(body.error).not.toContain('4242')
  }
})

test('stores the longest concepto and reference unchanged', async () => {
  const change = { concepto: 'ñ'.repeat(250), reference: 'x'.repeat(64) }
  expect(await make(keyCaller(), change)).toMatchObject(change)
})

test('answers a system 403 for another merchant’s link, and 404 for an unknown one', async () => {
  const { id, merchant_id } = await make()
  const client = { ...keyCaller(merchant_id), kind: 'client' as const, id: newId('usr') }
  const calls = [
    ['GET', ''],
    ['POST', '/cancel'],
  ] as const
  for (const [method, tail] of calls) {
    const statusOf = async (caller: Parameters<typeof call>[0], of: string) =>
      (await call(caller, method, `${keyed}/${of}${tail}`)).status
    expect(await statusOf(keyCaller(), id)).toBe(403)
    expect(await statusOf(client, id)).toBe(403)
    expect(await statusOf(operatorCaller('all', merchant_id), id)).toBe(403)
    for (const none of [newId('pl'), newId('cs'), 'pl_1', `${id}x`, id.toUpperCase()])
      expect([none, await statusOf(keyCaller(merchant_id), none)]).toEqual([none, 404])
  }
  expect((await call(client, 'POST', keyed, minimal)).status).toBe(403)
  expect((await call(keyCaller(merchant_id), 'GET', `${keyed}/${id}`)).body.data.status).toBe('active')
})

test('creates one link for twenty concurrent calls with the same key, and emits one event', async () => {
  const caller = keyCaller()
  const once = () => call(caller, 'POST', keyed, minimal, { 'idempotency-key': 'link' })
  const answers = await Promise.all(Array.from({ length: 20 }, once))
  expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
  const replay = await once()
  const { data, count } = (await call(caller, 'GET', dashboard)).body
  expect([count, replay.status, replay.headers.get('idempotent-replayed'), replay.body.data]).toEqual([
    1,
    201,
    'true',
    data[0],
  ])
  await waitFor(() => service.tap.names(data[0].correlation_id).length > 0)
  expect(service.tap.names(data[0].correlation_id)).toEqual(['payment_link.created'])
})

test('rejects a new link of a merchant that is disabled in the caller’s identity with 409', async () => {
  const caller = { ...keyCaller(), merchant_status: 'disabled' as const }
  for (const path of [keyed, dashboard]) {
    const { status, body } = await call(caller, 'POST', path, minimal)
    expect([path, status, body.error]).toEqual([path, 409, 'conflict: the merchant takes no payments at present'])
  }
  expect((await call(caller, 'GET', dashboard)).body.count).toBe(0)
})

test('lists links by filter, free text and order', async () => {
  const caller = keyCaller()
  const cheap = await make(caller, { concepto: 'Café 50%', amount_cents: 1_000, reference: 'B-2', currency: 'USD' })
  const dear = await make(caller, { concepto: 'Curso', amount_cents: 9_000, payer_email: 'ana@example.com' })
  await call(caller, 'POST', `${keyed}/${cheap.id}/cancel`)
  const found = async (query: string) =>
    (await call(caller, 'GET', `${dashboard}?${query}`)).body.data.map((row: { id: string }) => row.id)
  for (const query of [
    'status=cancelled',
    'reference=B-2',
    'currency=USD',
    'search=50%25',
    'search=b-2',
    `search=${cheap.id}`,
  ])
    expect([query, await found(query)]).toEqual([query, [cheap.id]])
  for (const query of ['status=active', 'currency=MXN', 'search=ANA@', `correlation_id=${dear.correlation_id}`])
    expect([query, await found(query)]).toEqual([query, [dear.id]])
  for (const query of ['status=paid', 'reference=b-2', 'search=_urso', `correlation_id=${newId('corr')}`])
    expect([query, await found(query)]).toEqual([query, []])
  expect(await found('order=amount_cents&dir=asc')).toEqual([cheap.id, dear.id])
  expect(await found('order=amount_cents')).toEqual([dear.id, cheap.id])
  for (const order of ['updated_at', 'status', 'reference', 'expires_at', 'paid_at'])
    expect([order, (await found(`order=${order}`)).sort()]).toEqual([order, [cheap.id, dear.id].sort()])
  for (const query of ['status=open', 'currency=mxn', 'correlation_id=corr_1', 'concepto=Curso', 'order=metadata']) {
    const { status, body } = await call(caller, 'GET', `${dashboard}?${query}`)
    expect([query, status, body.error]).toEqual([query, 400, expect.stringContaining(query.split('=')[0]!)])
  }
})

test('merges an update of a link: keeps absent fields, clears null ones and replaces metadata', async () => {
  const caller = keyCaller()
  const before = await make(caller, { reference: 'A-1', metadata: { a: 1, b: 2 }, payer_email: 'ana@example.com' })
  const put = async (change: object) => (await call(caller, 'PUT', `${dashboard}/${before.id}`, change)).body.data
  const expires_at = new Date(Date.now() + 90 * dayMs).toISOString()
  const changed = await put({ metadata: { c: 3 }, expires_at, amount_cents: 26_000 })
  expect(changed).toEqual({
    ...before,
    metadata: { c: 3 },
    expires_at,
    amount_cents: 26_000,
    updated_at: changed.updated_at,
  })
  const cleared = await put({ reference: null, metadata: null })
  expect(cleared).toEqual({ ...changed, reference: null, metadata: null, updated_at: cleared.updated_at })
  await waitFor(() => service.tap.names(before.correlation_id).length === 3)
  expect(service.tap.names(before.correlation_id)).toEqual([
    'payment_link.created',
    'payment_link.updated',
    'payment_link.updated',
  ])
  for (const bad of [{ expires_at: new Date(Date.now() - 1).toISOString() }, { concepto: null }, { amount: 1 }])
    expect([bad, (await call(caller, 'PUT', `${dashboard}/${before.id}`, bad)).status]).toEqual([bad, 400])
  expect((await call(caller, 'GET', `${dashboard}/${before.id}`)).body.data).toEqual(cleared)
})
