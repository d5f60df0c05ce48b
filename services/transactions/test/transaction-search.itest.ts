import { newId } from '@cobro/contracts'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { readPages } from '@cobro/testing'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

let service: Awaited<ReturnType<typeof transactionsUnderTest>>
beforeAll(async () => {
  service = await transactionsUnderTest('http://127.0.0.1:9')
})
afterAll(() => service.stop())

const call = serviceCalls(() => service)
const merchant = newId('mrc')
const key = keyCaller(merchant)
const operator = operatorCaller('all', merchant)
const count = async (query: string) => (await call(key, 'GET', `/api/transactions?${query}`)).body.count
const cardPayment = { rail: 'online_cnp', payment_method: 'card' }

test('every transaction filter returns exactly the matching transactions', async () => {
  const enter = async (input: object) =>
    (await call(operator, 'POST', '/api/transactions', { ...cardPayment, ...input })).body.data
  const metadata = { plan: 'gold', seats: 5, price: 1.5, trial: true, none: null, text: '5', deep: { a: { b: 'x' } } }
  const first = await enter({
    amount_cents: 100,
    reference: 'F-77',
    order_id: 'O-1',
    payer_email: 'Ana@Example.com',
    metadata,
  })
  await enter({ amount_cents: 200, status: 'pending', metadata: { plan: 'silver', seats: 6 } })
  await enter({ amount_cents: 300, payment_method: 'cash', customer_ref: 'Tío 100%' })
  const found: Record<string, number> = {}
  const expected = {
    ...{ [`id=${first.id}`]: 1, 'reference=F-77': 1, 'folio=F-77': 1, 'folio=F-7': 0, 'order_id=O-1': 1 },
    ...{ 'amount_cents=200': 1, 'amount_min=200': 2, 'amount_max=200': 2, 'amount_min=150&amount_max=250': 1 },
    ...{ 'status=pending': 1, 'payment_method=cash': 1, 'rail=inperson_cp': 0, 'refund_status=completed': 0 },
    ...{ 'metadata.plan=gold': 1, 'metadata.seats=5': 1, 'metadata.seats=5.0': 0, 'metadata.text=5': 1 },
    ...{ 'metadata.price=1.5': 1, 'metadata.trial=true': 1, 'metadata.none=null': 1, 'metadata.deep.a.b=x': 1 },
    ...{ 'metadata.plan=gold&metadata.seats=6': 0, 'metadata_key=deep.a.b&metadata_value=x': 1 },
    ...{ [`metadata=${encodeURIComponent('{"plan":"gold","seats":5}')}`]: 1 },
    ...{ [`metadata=${encodeURIComponent('{"plan":"gold"}')}&metadata.seats=6`]: 0 },
    ...{ 'search=f-77': 1, 'search=EXAMPLE': 1, 'search=F-': 1, 'search=-7': 0, 'search=00%25': 1, 'search=0%25': 0 },
    ...{ [`search=${first.id.slice(-16)}`]: 1, 'search=t%C3%ADo': 1, 'search=%5F%5F%5F': 0 },
  }
  for (const query of Object.keys(expected)) found[query] = await count(query)
  expect(found).toEqual(expected)
  expect((await call(keyCaller(), 'GET', '/api/transactions?metadata.plan=gold')).body.count).toBe(0)
  await call(key, 'PUT', `/api/transactions/${first.id}`, { metadata: { plan: 'iron' } })
  expect([await count('metadata.plan=gold'), await count('metadata.plan=iron')]).toEqual([0, 1])
})

test('the pages of a search, of a list without a count and of several merchants are linked to the end', async () => {
  const own = newId('mrc')
  for (let n = 0; n < 7; n++) {
    const caller = operatorCaller('all', n === 3 ? newId('mrc') : own)
    const status = n % 2 === 0 ? 'approved' : 'pending'
    const input = { ...cardPayment, status, amount_cents: 100 + n, reference: `${own}-${n}`, metadata: { plan: own } }
    expect((await call(caller, 'POST', '/api/transactions', input)).status).toBe(201)
  }
  const amounts = async (caller: ReturnType<typeof keyCaller> | ReturnType<typeof operatorCaller>, query: string) => {
    const get = async (path: string) => fetch(service.url + path, { headers: await service.headers(caller) })
    return (await readPages(get, `/api/transactions?limit=2&${query}`)).map(row => row.amount_cents)
  }
  expect(await amounts(keyCaller(own), 'dir=asc')).toEqual([100, 101, 102, 104, 105, 106])
  expect(await amounts(keyCaller(own), `search=${own.toUpperCase()}`)).toEqual([106, 105, 104, 102, 101, 100])
  expect(await amounts(operatorCaller('all'), `dir=asc&metadata.plan=${own}`)).toEqual([
    100, 101, 102, 103, 104, 105, 106,
  ])
  expect(await amounts(keyCaller(own), 'status=approved,declined&count=none')).toEqual([106, 104, 102, 100])
  const { count } = (await call(keyCaller(own), 'GET', '/api/transactions?status=approved,pending')).body
  expect(count).toBe(6)
})

const [day1, day2, day3] = ['2026-05-01', '2026-05-02', '2026-05-03']

/** Enters payments of two merchants: refunded ones, one whose refund is due by hand, and declined ones. */
async function refundsAndDeclines() {
  const [own, theirs] = [newId('mrc'), newId('mrc')]
  const [visa, amex] = [
    { brand: 'visa', last4: '0077' },
    { brand: 'amex', last4: '1005' },
  ]
  const enter = async (merchant: typeof own, amount_cents: number, card: object | null, set: string) => {
    const caller = operatorCaller('all', merchant)
    const { body } = await call(caller, 'POST', '/api/transactions', { ...cardPayment, amount_cents, card })
    await service.database.query(`update transactions.transactions set ${set} where id = $1`, [body.data.id])
  }
  await enter(own, 101, visa, `refund_status = 'completed', refund_requested_at = '${day2}', refunded_at = '${day3}'`)
  await enter(own, 102, amex, `refund_status = 'processing', refund_requested_at = '${day3}', manual_refund = true`)
  await enter(own, 103, visa, `refund_status = 'completed', refund_requested_at = '${day1}', refunded_at = '${day2}'`)
  await enter(own, 104, visa, `status = 'declined', decline_reason = 'insufficient_funds', captured_at = null`)
  await enter(own, 105, null, `status = 'failed', decline_reason = 'processing_error', captured_at = '${day1}'`)
  await enter(
    theirs,
    106,
    visa,
    `refund_status = 'completed', refund_requested_at = '${day2}', refunded_at = '${day2}'`,
  )
  await enter(theirs, 107, amex, `status = 'declined', decline_reason = 'lost_card'`)
  return { own, theirs }
}

test('a list by card, by decline reason or by a time of the refund has those rows alone, of those merchants alone', async () => {
  const { own, theirs } = await refundsAndDeclines()
  const expected: Record<string, [own: number[], both: number[]]> = {
    'card_last4=0077': [
      [104, 103, 101],
      [106, 104, 103, 101],
    ],
    'card_brand=amex&dir=asc': [[102], [102, 107]],
    'card_brand=visa&card_last4=1005': [[], []],
    'card_last4=0077&status=declined': [[104], [104]],
    'decline_reason=insufficient_funds,lost_card': [[104], [107, 104]],
    'decline_reason=processing_error': [[105], [105]],
    'time=refund_requested_at': [
      [102, 101, 103],
      [102, 106, 101, 103],
    ],
    'time=refund_requested_at&dir=asc&refund_status=completed': [
      [103, 101],
      [103, 101, 106],
    ],
    'time=refund_requested_at&card_brand=visa': [
      [101, 103],
      [106, 101, 103],
    ],
    [`time=refund_requested_at&from=${day2}&to=${day2}`]: [[101], [106, 101]],
    [`time=refunded_at&from=${day2}`]: [
      [101, 103],
      [101, 106, 103],
    ],
    [`time=captured_at&to=${day1}`]: [[105], [105]],
    'time=refunded_at&order=amount_cents': [
      [103, 101],
      [106, 103, 101],
    ],
    [`from=${day1}&to=${day3}`]: [[], []],
  }
  const listed = async (caller: Parameters<typeof call>[0], query: string) => {
    const { data, count } = (await call(caller, 'GET', `/api/transactions?${query}`)).body
    const amounts = data.map(({ amount_cents }: { amount_cents: number }) => amount_cents)
    expect([query, count]).toEqual([query, amounts.length])
    const uncounted = (await call(caller, 'GET', `/api/transactions?${query}&count=none`)).body
    expect([uncounted.data, uncounted.count]).toEqual([data, null])
    return amounts
  }
  const found: typeof expected = {}
  for (const query of Object.keys(expected)) {
    const both = await listed(operatorCaller([own, theirs]), query)
    found[query] = [await listed(keyCaller(own), query), both]
    const all = await listed(operatorCaller('all'), `${query}&limit=200`)
    expect(all).toEqual(expect.arrayContaining(both))
  }
  expect(found).toEqual(expected)
  const { data } = (await call(keyCaller(own), 'GET', '/api/transactions?time=refund_requested_at')).body
  expect(data.map((row: { manual_refund: boolean }) => row.manual_refund)).toEqual([true, false, false])
})

test('the pages of a list by another time are linked to the end', async () => {
  const { own, theirs } = await refundsAndDeclines()
  for (const caller of [keyCaller(own), operatorCaller([own, theirs])]) {
    const get = async (path: string) => fetch(service.url + path, { headers: await service.headers(caller) })
    for (const dir of ['asc', 'desc']) {
      const query = `/api/transactions?time=refund_requested_at&dir=${dir}`
      const whole = (await call(caller, 'GET', query)).body.data
      expect(await readPages(get, `${query}&limit=1`)).toEqual(whole)
    }
  }
})

test('a metadata value is found by its exact text, however its number was written', async () => {
  const owner = newId('mrc')
  const jsonByName = {
    number: '5',
    decimal: '5.0',
    text: '"5"',
    long: '"5.0"',
    truth: 'true',
    word: '"true"',
    zero: '-0',
    small: '0.0000001',
  }
  const body = Object.entries(jsonByName).map(([name, json]) => `"${name}":${json}`)
  const { url, headers } = service
  const entered = await fetch(`${url}/api/transactions`, {
    method: 'POST',
    headers: { ...(await headers(operatorCaller('all', owner))), 'content-type': 'application/json' },
    body: `{"rail":"online_cnp","payment_method":"card","amount_cents":1,"metadata":{${body},"list":["5"],"long_text":"${'y'.repeat(201)}"}}`,
  })
  expect([entered.status, await entered.text()]).toEqual([201, expect.any(String)])
  const found = async (query: string) => (await call(keyCaller(owner), 'GET', `/api/transactions?${query}`)).body.count
  const object = (json: string) => `metadata=${encodeURIComponent(json)}`
  const expected: Record<string, number> = {
    // 5 and 5.0 are equal as JSON numbers, but different as text.
    ...{ 'metadata.number=5': 1, 'metadata.number=5.0': 0, 'metadata.decimal=5': 1, 'metadata.decimal=5.0': 0 },
    ...{ 'metadata.text=5': 1, 'metadata.text=5.0': 0, 'metadata.long=5.0': 1, 'metadata.long=5': 0 },
    ...{ 'metadata.truth=true': 1, 'metadata.truth=True': 0, 'metadata.truth=1': 0, 'metadata.word=true': 1 },
    ...{ 'metadata.zero=0': 1, 'metadata.zero=-0': 0, 'metadata.small=1e-7': 1, 'metadata.small=0.0000001': 0 },
    ...{ [object('{"number":5}')]: 1, [object('{"number":5.0}')]: 1, [object('{"number":"5"}')]: 1 },
    ...{ [object('{"long":5.0}')]: 0, [object('{"truth":true}')]: 1, [object('{"truth":"true"}')]: 1 },
    ...{ 'metadata_key=number&metadata_value=5': 1, 'metadata_key=number&metadata_value=%205': 0 },
    // Values inside lists and texts longer than a filter's maximum cannot be searched.
    ...{ 'metadata.list=5': 0, 'metadata.list.0=5': 0, [`metadata.long_text=${'y'.repeat(200)}`]: 0 },
    // A value is never parsed, whatever it looks like.
    ...{ "metadata.text=5'%20or%20'1'='1": 0, "metadata_key=text&metadata_value=5';drop%20table%20x--": 0 },
    ...{ "search='%20or%201=1--": 0, 'metadata.text=5%7D': 0, 'metadata.text=%7B5%7D': 0 },
  }
  const all = Object.fromEntries(
    await Promise.all(Object.keys(expected).map(async query => [query, await found(query)])),
  )
  expect(all).toEqual(expected)
})

test.each([
  'amount_cents=1&amount_min=1',
  'amount_cents=1&amount_max=1',
  'amount_cents=1.5',
  'amount_min=0',
  'amount_min=-5',
  'folio=a&reference=b',
  'metadata_key=a',
  'metadata_value=a',
  'metadata_key=a.b.c.d.e.f&metadata_value=1',
  "metadata_key=a'%20or%201=1--&metadata_value=1",
  'metadata.__proto__=1',
  'metadata.a.constructor=1',
  'metadata.prototype.a=1',
  'metadata.=1',
  "metadata.a'b=1",
  'metadata.a=1&metadata.a=2',
  `metadata.a=${'x'.repeat(201)}`,
  'metadata=5',
  'metadata=[1]',
  'metadata={"a":{"b":1}}',
  'metadata={"a":[1]}',
  'metadata={"__proto__":1}',
  'metadata={"a":1',
  'metadata={"a":1}&metadata.a=2',
  'metadata_key=__proto__&metadata_value=1',
  'metadata_key=a.constructor&metadata_value=1',
  'metadata_key=prototype&metadata_value=1',
  'metadata_key=a..b&metadata_value=1',
  'metadata={"constructor":1}',
  'metadata={"a.prototype":1}',
  `search=${'x'.repeat(201)}`,
  `search=${'x'.repeat(10_000)}`,
  'order=(select%201)',
  'order=amount_cents%20desc',
  'order=metadata',
  'order=__proto__',
  'order[]=created_at',
  'dir=desc,id',
  'order=created_at;drop%20table%20x',
  'dir=asc;--',
  'from=2026-02-30',
  'metadata_terms=a',
  'card_last4=77',
  'card_last4=00771',
  'card_last4[$ne]=0077',
  'card_brand=Visa!',
  'decline_reason=bad_luck',
  'time=updated_at',
  'time=created_at,captured_at',
  'order=refunded_at',
])('a transaction search rejects the query %s', async query => {
  const answer = await call(key, 'GET', `/api/transactions?${query}`)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^invalid_request: /)])
})
