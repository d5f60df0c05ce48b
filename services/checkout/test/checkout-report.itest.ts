import { type Caller, type Id, newId } from '@cobro/contracts'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { callsTo, payer } from './checkout-calls.ts'
import { checkoutUnderTest } from './checkout-under-test.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
beforeAll(async () => {
  service = await checkoutUnderTest()
})
afterAll(() => service?.stop())

const call = callsTo(() => service)
const none = { created: 0, viewed: 0, attempted: 0, completed: 0, expired: 0, cancelled: 0 }

async function reportOf(caller: Caller, query: string) {
  const { status, body } = await call(caller, 'GET', `/api/reports/checkout?${query}`)
  expect([query, status, body.error]).toEqual([query, 200, undefined])
  return body.data
}

/** Opens a session or link of a merchant, as if it was created at `at`, in a state that has come of it. */
async function payable(merchant: Id<'mrc'>, kind: 'session' | 'link', at: string, state = 'attempt_count = 0') {
  const [path, table, body] =
    kind === 'session'
      ? ['sessions', 'checkout_sessions', { amount_total: 100, return_url: 'https://shop.mx/back' }]
      : ['links', 'payment_links', { concepto: 'Curso', amount_cents: 100 }]
  const opened = await call(keyCaller(merchant), 'POST', `/checkout/v1/${path}`, body)
  const { id } = opened.body.data ?? opened.body
  await service.database.query(`update checkout.${table} set created_at = $2, ${state} where id = $1`, [id, at])
}

const viewed = 'viewed_at = now()'
const tried = 'viewed_at = now(), attempt_count = 2'
const paid = `viewed_at = now(), attempt_count = 1, status = 'completed'`
const paidLink = `attempt_count = 1, status = 'paid'`

test('reports each step of the sessions and links that were created in each interval, also where there are none', async () => {
  const merchant = newId('mrc')
  await payable(merchant, 'session', '2026-05-04T00:00:00Z')
  await payable(merchant, 'session', '2026-05-04T23:59:59.999Z', viewed)
  await payable(merchant, 'session', '2026-05-04T12:30:00Z', tried)
  await payable(merchant, 'session', '2026-05-06T12:00:00Z', paid)
  await payable(merchant, 'link', '2026-05-06T13:00:00Z', paidLink)
  await payable(merchant, 'link', '2026-05-06T14:00:00Z', `status = 'expired'`)
  await payable(merchant, 'link', '2026-05-06T14:00:00Z', `${viewed}, status = 'cancelled'`)
  const before = Date.now()
  const report = await reportOf(clientCaller(merchant), 'from=2026-05-04&to=2026-05-06')
  const day = (date: string) => ({ start: `2026-05-0${date}T00:00:00.000Z` })
  const last = { created: 4, viewed: 3, attempted: 2, completed: 2, expired: 1, cancelled: 1 }
  const totals = { ...last, created: 7, viewed: 5, attempted: 3 }
  const { as_of, ...rest } = report
  expect(rest).toEqual({
    from: '2026-05-04T00:00:00.000Z',
    to: '2026-05-07T00:00:00.000Z',
    tz: 'UTC',
    interval: 'day',
    rows: [
      { ...day('4'), ...none, created: 3, viewed: 2, attempted: 1 },
      { ...day('5'), ...none },
      { ...day('6'), ...last },
    ],
    ...{ totals, previous: none, compared: { to: '2026-05-07T00:00:00.000Z', totals, previous: none } },
  })
  expect(Date.parse(as_of)).toBeGreaterThanOrEqual(before)

  const limited = async (kind: string) =>
    (await reportOf(keyCaller(merchant), `from=2026-05-04&to=2026-05-06&kind=${kind}`)).totals
  expect(await limited('session')).toEqual({ ...none, created: 4, viewed: 3, attempted: 2, completed: 1 })
  expect(await limited('link')).toEqual({
    ...{ created: 3, viewed: 2, attempted: 1, completed: 1, expired: 1, cancelled: 1 },
  })
})

test('each step of a kind counts the rows that its list has for it', async () => {
  const merchant = newId('mrc')
  for (const state of [undefined, viewed, tried, paid, `status = 'expired'`, `${tried}, status = 'cancelled'`])
    await payable(merchant, 'session', '2026-05-04T12:00:00Z', state)
  for (const state of [undefined, viewed, viewed, tried, paidLink])
    await payable(merchant, 'link', '2026-05-04T12:00:00Z', state)
  // Another day and another merchant.
  await payable(merchant, 'session', '2026-05-05T00:00:00Z', paid)
  await payable(newId('mrc'), 'link', '2026-05-04T12:00:00Z', paidLink)
  const day = 'from=2026-05-04&to=2026-05-04'
  for (const [kind, path, counts] of [
    ['session', '/api/checkout-sessions', { created: 6, viewed: 4, attempted: 3, completed: 1 }],
    ['link', '/api/payment-links', { created: 5, viewed: 4, attempted: 2, completed: 1 }],
  ] as const) {
    const listed = async (reached: string) => {
      const { status, body } = await call(clientCaller(merchant), 'GET', `${path}?${day}${reached}`)
      expect([reached, status, body.error]).toEqual([reached, 200, undefined])
      return [body.count, body.data.length]
    }
    const { totals } = await reportOf(clientCaller(merchant), `${day}&kind=${kind}`)
    expect(totals).toMatchObject(counts)
    expect(await listed('')).toEqual([counts.created, counts.created])
    for (const step of ['viewed', 'attempted', 'completed'] as const)
      expect(await listed(`&reached=${step}`)).toEqual([counts[step], counts[step]])
    expect(await listed('&reached=completed,viewed')).toEqual([counts.viewed, counts.viewed])
  }
  const { status } = await call(clientCaller(merchant), 'GET', '/api/payment-links?reached=created')
  expect(status).toBe(400)
})

test('reports what happened a moment ago', async () => {
  const merchant = keyCaller()
  const { body } = await call(merchant, 'POST', '/checkout/v1/sessions', {
    amount_total: 100,
    return_url: 'https://shop.mx/back',
  })
  expect((await reportOf(merchant, '')).totals).toEqual({ ...none, created: 1 })
  expect((await call(payer, 'GET', `/hosted/v1/checkout/${body.id}`)).status).toBe(200)
  await call(merchant, 'POST', `/checkout/v1/sessions/${body.id}/cancel`)
  const { rows, totals } = await reportOf(merchant, '')
  expect([rows.length, rows.at(-1), totals]).toEqual([
    30,
    { start: expect.any(String), ...none, created: 1, viewed: 1, cancelled: 1 },
    { ...none, created: 1, viewed: 1, cancelled: 1 },
  ])
})

test('compares with the period of equal length before', async () => {
  const merchant = newId('mrc')
  await payable(merchant, 'session', '2026-04-30T23:59:00Z', paid)
  for (const at of ['2026-05-01T00:00:00Z', '2026-05-02T23:59:00Z']) await payable(merchant, 'session', at, viewed)
  await payable(merchant, 'session', '2026-05-03T00:00:00Z', tried)
  const { totals, previous } = await reportOf(keyCaller(merchant), 'from=2026-05-03&to=2026-05-04')
  expect([totals, previous]).toEqual([
    { ...none, created: 1, viewed: 1, attempted: 1 },
    { ...none, created: 2, viewed: 2 },
  ])
})

test('counts in the days, weeks and months of the time zone', async () => {
  const merchant = newId('mrc')
  // 23:30 on Sunday, 31 May in Mexico City.
  await payable(merchant, 'session', '2026-06-01T05:30:00Z')
  const starts = async (query: string) => {
    const { rows } = await reportOf(keyCaller(merchant), `from=2026-05-31&to=2026-06-01&${query}`)
    return rows.map(({ start, created }: { start: string; created: number }) => [start, created])
  }
  expect(await starts('tz=America/Mexico_City')).toEqual([
    ['2026-05-31T06:00:00.000Z', 1],
    ['2026-06-01T06:00:00.000Z', 0],
  ])
  for (const interval of ['week', 'month'])
    expect([interval, await starts(`tz=America/Mexico_City&interval=${interval}`)]).toEqual([
      interval,
      [
        ['2026-05-31T06:00:00.000Z', 1],
        ['2026-06-01T06:00:00.000Z', 0],
      ],
    ])
  expect(await starts('')).toEqual([
    ['2026-05-31T00:00:00.000Z', 0],
    ['2026-06-01T00:00:00.000Z', 1],
  ])
  const hours = await starts('tz=America/Mexico_City&interval=hour')
  expect([hours.length, hours.filter(([, created]: [string, number]) => created > 0)]).toEqual([
    48,
    [['2026-06-01T05:00:00.000Z', 1]],
  ])
})

test('reports only what the caller may see', async () => {
  const [one, other] = [newId('mrc'), newId('mrc')]
  const query = 'from=2025-03-01&to=2025-03-01'
  await payable(one, 'session', '2025-03-01T10:00:00Z')
  for (const _twice of [1, 2]) await payable(other, 'link', '2025-03-01T10:00:00Z')
  const created = async (caller: Caller) => (await reportOf(caller, query)).totals.created
  expect([await created(keyCaller(one)), await created(clientCaller(other)), await created(keyCaller())]).toEqual([
    1, 2, 0,
  ])
  expect([
    await created(operatorCaller('all')),
    await created(operatorCaller('all', one)),
    await created(operatorCaller([one, other])),
    await created(operatorCaller([other])),
    await created(operatorCaller([])),
  ]).toEqual([3, 1, 3, 2, 0])
  const links = await reportOf(operatorCaller('all'), `${query}&kind=link`)
  expect([links.totals, links.previous]).toEqual([{ ...none, created: 2 }, none])
  expect((await call(payer, 'GET', `/api/reports/checkout?${query}`)).status).toBe(401)
})

test.each([
  ['from', 'from=2026-05-02&to=2026-05-01'],
  ['from', 'from=2026-05-01T00:00:00Z&to=2026-05-01T00:00:00Z'],
  ['from', 'from=2026-05-01T00:00:00Z&to=2026-05-17T17:00:00Z&interval=hour'],
  ['from', 'from=2025-01-01&to=2026-03-01'],
  ['from', 'from=2026-05-01T00:30:00Z&to=2026-05-02T00:00:00Z'],
  ['from', 'from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00.001Z'],
  ['from', 'from=2026-13-01'],
  ['to', 'to=yesterday'],
  ['tz', 'tz=Asia/Kolkata'],
  ['tz', 'tz=Mars/Olympus'],
  ['interval', 'interval=year'],
  ['kind', 'kind=voucher'],
  ['currency', 'currency=MXN'],
])('rejects %s of %s', async (field, query) => {
  const { status, body } = await call(keyCaller(), 'GET', `/api/reports/checkout?${query}`)
  expect([status, body.error]).toEqual([400, expect.stringMatching(new RegExp(`^invalid_request: .*${field}`))])
})

test('takes exactly 400 hours and 400 days', async () => {
  for (const [query, count] of [
    ['from=2026-05-01T00:00:00Z&to=2026-05-17T16:00:00Z&interval=hour', 400],
    ['from=2025-01-01&to=2026-02-04', 400],
  ] as const)
    expect((await reportOf(keyCaller(), query)).rows.length).toBe(count)
})
