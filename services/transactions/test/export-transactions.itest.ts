import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Caller, newId } from '@cobro/contracts'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { seedTransactions, waitFor } from '@cobro/testing'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

const rows = 5_000
const merchant = newId('mrc')
const key = keyCaller(merchant)
let service: Awaited<ReturnType<typeof transactionsUnderTest>>
beforeAll(async () => {
  service = await transactionsUnderTest('http://127.0.0.1:9')
  await seedTransactions(service.database.query, { merchant, rows, merchantRows: rows })
  // Many rows have the same time. As NDJSON they are more than the buffers of a connection hold.
  await service.database.query(
    `update transactions.transactions
     set created_at = date_trunc('day', created_at), metadata = metadata || jsonb_build_object('note', repeat('x', 4000))`,
  )
})
const opened: IncomingMessage[] = []
const leave = (responses: IncomingMessage[]) => {
  for (const response of responses) response.destroy()
}
// The service stops once every export has ended.
afterEach(() => leave(opened.splice(0)))
afterAll(() => service.stop())

const call = serviceCalls(() => service)
const enter = async (merchant_id: typeof merchant, input: object) => {
  const payment = { rail: 'online_cnp', payment_method: 'card', ...input }
  const { status, body } = await call(operatorCaller('all', merchant_id), 'POST', '/api/transactions', payment)
  expect(status).toBe(201)
  return body.data
}

/** Starts an export, whose body is not read yet. */
async function open(caller: Caller, query: string): Promise<IncomingMessage> {
  const headers = await service.headers(caller)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = `${service.url}/api/transactions/export?${query}`
    get(url, { agent: false, headers }, resolve).on('error', reject)
  })
  opened.push(response)
  return response
}
/** Starts an export as soon as those whose clients left have ended. */
async function openWhenFree(caller: Caller, query: string): Promise<IncomingMessage> {
  const responses: IncomingMessage[] = []
  await waitFor(async () => responses.unshift(await open(caller, query)) > 0 && responses[0]?.statusCode === 200)
  return responses[0] as IncomingMessage
}
const bodyOf = async (caller: Caller, query: string) => text(await open(caller, query))
const idsOf = (ndjson: string): string[] =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line).id)
const idsInDatabase = async () =>
  (
    await service.database.query(
      'select id from transactions.transactions where merchant_id = $1 order by created_at desc, id desc',
      [merchant],
    )
  ).map(({ id }) => id)
/** Reads the beginning of an export, and pauses it. */
async function beginning(response: IncomingMessage): Promise<string> {
  const [chunk] = await new Promise<Buffer[]>(resolve => response.once('data', (data: Buffer) => resolve([data])))
  response.pause()
  return String(chunk)
}

test('an export has every row once, the newest first, while rows are added', async () => {
  const expected = await idsInDatabase()
  const response = await open(key, 'format=ndjson')
  expect(response.headers).toMatchObject({
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': 'attachment; filename="transactions.ndjson"',
    'x-total-count': String(rows),
  })
  const first = await beginning(response)
  for (let n = 0; n < 20; n++) await enter(merchant, { amount_cents: 100 + n, reference: 'added' })
  expect(idsOf(first + (await text(response)))).toEqual(expected)
  expect(idsOf(await bodyOf(key, 'format=ndjson&reference=added'))).toHaveLength(20)
})

test('a slow reader keeps no statement and no transaction open, and gets later rows as they are by then', async () => {
  const oldest = (await idsInDatabase()).at(-1)
  const response = await open(key, 'format=ndjson')
  const first = await beginning(response)
  const reading = `select from pg_stat_activity where datname = current_database() and usename = 'cobro_transactions'
    and (state like 'idle in%' or (state = 'active' and query like '%planned for its values%'))`
  await waitFor(async () => (await service.database.query(reading)).length === 0)
  await service.database.query(`update transactions.transactions set reference = 'later' where id = $1`, [oldest])
  const lines = (first + (await text(response))).split('\n')
  expect(JSON.parse(lines.at(-2)!)).toMatchObject({ id: oldest, reference: 'later' })
})

test('clients that leave give their connections and their places back', async () => {
  for (let n = 0; n < 40; n++) {
    const response = await openWhenFree(key, 'format=ndjson')
    await beginning(response)
    response.destroy()
  }
  const listed = await Promise.all(Array.from({ length: 20 }, () => call(key, 'GET', '/api/transactions?limit=1')))
  expect(listed.map(({ status }) => status)).toEqual(listed.map(() => 200))
})

/** Expects that one more export is rejected while others are not read. */
async function expectRejected(caller: Caller, query: string, detail: string) {
  const response = await open(caller, query)
  expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '1'])
  expect(JSON.parse(await text(response))).toEqual({ error: `rate_limited: ${detail}` })
}

test('the keys of a merchant have at most two exports at once, and one that has ended in any way does not count', async () => {
  const held = [await openWhenFree(key, 'format=ndjson'), await openWhenFree(key, 'columns=metadata')]
  for (const format of ['csv', 'ndjson'])
    await expectRejected(keyCaller(merchant), `format=${format}`, 'expected at most 2 exports at once')
  const user = clientCaller(merchant)
  for (const format of ['csv', 'ndjson', 'csv', 'ndjson'])
    expect((await bodyOf(user, `format=${format}`)).split('\n').length).toBeGreaterThan(rows)
  leave(held)
  expect(await text(await openWhenFree(key, 'format=csv'))).toContain('txn_')
})

test('a replica has at most eight exports at once', async () => {
  const held: IncomingMessage[] = []
  for (let n = 0; n < 4; n++) {
    const operator = operatorCaller('all', merchant)
    for (const _each of [1, 2]) held.push(await openWhenFree(operator, 'format=ndjson'))
  }
  await expectRejected(key, 'format=csv', 'expected at most 8 exports at once of all callers')
  leave(held.splice(0, 1))
  expect(await text(await openWhenFree(key, 'format=csv'))).toContain('txn_')
})

test('an export that fails is cut off, so that no reader takes it for the whole', async () => {
  const response = await open(key, 'format=ndjson')
  await beginning(response)
  await service.database.query('alter table transactions.transactions rename to elsewhere')
  try {
    await expect(text(response)).rejects.toThrow('aborted')
  } finally {
    await service.database.query('alter table transactions.elsewhere rename to transactions')
  }
})

test.each([
  'status=declined,failed',
  'payment_method=cash&amount_min=5000',
  'currency=USD&amount_max=20000',
  'search=payer1',
  'metadata.plan=gold',
  `from=${new Date(Date.now() - 40 * 86_400_000).toISOString()}&to=${new Date(Date.now() - 10 * 86_400_000).toISOString()}`,
])('an export with %s has the rows of the list with these filters', async filter => {
  const { body } = await call(key, 'GET', `/api/transactions?limit=200&${filter}`)
  const response = await open(key, `format=ndjson&${filter}`)
  const lines = (await text(response)).split('\n').slice(0, -1)
  expect([Number(response.headers['x-total-count']), lines.length]).toEqual([body.count, body.count])
  expect(lines.slice(0, 200).map(line => JSON.parse(line))).toEqual(body.data)
})

test('an export contains the transactions of the merchants that its caller may see', async () => {
  const [one, two] = [newId('mrc'), newId('mrc')]
  const reference = newId('mrc')
  const first = await enter(one, { amount_cents: 100, reference })
  const second = await enter(two, { amount_cents: 200, reference })
  const exported = async (caller: Caller) => idsOf(await bodyOf(caller, `format=ndjson&reference=${reference}`)).sort()
  expect(await exported(keyCaller(one))).toEqual([first.id])
  expect(await exported(clientCaller(two))).toEqual([second.id])
  expect(await exported(operatorCaller([one, newId('mrc')]))).toEqual([first.id])
  expect(await exported(operatorCaller('all', two))).toEqual([second.id])
  expect(await exported(operatorCaller('all'))).toEqual([first.id, second.id].sort())
  expect(await exported(operatorCaller([]))).toEqual([])
})

test('CSV has the chosen columns with times of a zone, decimals and no formulas', async () => {
  const owner = newId('mrc')
  const { id } = await enter(owner, {
    ...{ amount_cents: 123_405, reference: '=cmd()', order_id: '+1', customer_ref: 'a, "b"', payer_email: '-a@b.mx' },
    captured_at: '2026-03-01T05:30:00.000Z',
  })
  const columns = 'id,amount,currency,captured_at,reference,order_id,customer_ref,payer_email'
  expect(await bodyOf(keyCaller(owner), `tz=America/Mexico_City&columns=${columns}`)).toBe(
    `${columns}\r\n${id},1234.05,MXN,2026-02-28T23:30:00.000-06:00,'=cmd(),'+1,"a, ""b""",'-a@b.mx\r\n`,
  )
  const [header, line] = (await bodyOf(keyCaller(owner), '')).split('\r\n')
  expect(header).toMatch(/^id,created_at,captured_at,status,amount,fee,currency,/)
  expect(line).toContain(',2026-03-01T05:30:00.000+00:00,approved,1234.05,0.00,MXN,card,')
})

test('an export without rows has the header of CSV, and nothing as NDJSON', async () => {
  expect(await bodyOf(keyCaller(), 'columns=status,id')).toBe('status,id\r\n')
  expect(await bodyOf(keyCaller(), 'format=ndjson')).toBe('')
})

test('an export of more than a million rows is a 400 that says how many match', async () => {
  const large = newId('mrc')
  await service.database.query(
    `insert into transactions.transaction_counts values ($1, 'approved', 'card', 'online_cnp', 'MXN', 1000001)`,
    [large],
  )
  // More often than exports of one caller may run at once.
  for (const _each of [1, 2, 3]) {
    const { status, body } = await call(keyCaller(large), 'GET', '/api/transactions/export')
    expect([status, body.error]).toEqual([
      400,
      'invalid_request: 1000001 transactions match, and an export has at most 1000000: narrow it by a filter',
    ])
  }
})

test.each([
  ['format=xml', 'format'],
  ['tz=Mexico', 'tz'],
  ['tz=-06:00', 'tz'],
  ['columns=', 'columns'],
  ['columns=id,secret', 'columns'],
  ['columns=id,id', 'columns'],
  ['format=ndjson&columns=id', 'columns'],
  ['format=ndjson&tz=UTC', 'tz'],
  ['limit=3', 'limit'],
  ['cursor=1-txn_1', 'cursor'],
  ['order=amount_cents', 'order'],
  ['count=none', 'count'],
  ['status=none', 'status'],
  ['folio=a&reference=b', 'folio'],
  ['from=2026-02-02&to=2026-02-01', 'from'],
])('an export with %s is a 400 about %s', async (query, field) => {
  const { status, body } = await call(key, 'GET', `/api/transactions/export?${query}`)
  expect([status, body.error]).toEqual([400, expect.stringMatching(new RegExp(`^invalid_request: ${field}: `))])
})
