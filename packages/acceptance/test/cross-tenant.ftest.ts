import { type Operation, operations } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import pLimit from 'p-limit'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type MatrixCaller, matrixCallers } from '../src/caller-columns.ts'
import { type MatrixCall, matrixCalls } from '../src/matrix-calls.ts'

const long = process.env.COBRO_TEST_LONG === '1'
/** The share of all calls that is made: each in the long form, else one in five. */
const every = long ? 1 : 5
const minCalls = 1_482
const concurrency = 6

let stack: AcceptanceStack
let attackers: [string, MatrixCaller][]
let calls: Awaited<ReturnType<typeof matrixCalls>>
beforeAll(async () => {
  stack = await acceptanceStack({ transactions: { BANK_CHANGE_HOLD_HOURS: '72' } })
  const callers = await matrixCallers(stack)
  attackers = (['their key', 'their client', 'op of theirs'] as const).map(name => [name, callers[name]])
  calls = await matrixCalls(stack)
})
afterAll(() => stack?.stop())

interface Claim {
  headers?: Record<string, string>
  query?: string
  body?: object
}

/** Ways to claim another merchant. */
function claimsOf(theirs: string, own: string): Record<string, Claim> {
  return {
    nothing: {},
    'their own merchant': { headers: { 'x-merchant-id': own } },
    'the other merchant': { headers: { 'x-merchant-id': theirs } },
    'both merchants': { headers: { 'x-merchant-id': `${own}, ${theirs}` } },
    'an internal header': { headers: { 'x-cobro-merchant-id': theirs, 'x-cobro-identity': theirs } },
    'a parameter': { query: `?merchant_id=${theirs}` },
    'two parameters': { query: `?merchant_id=${own}&merchant_id=${theirs}` },
    'a field': { body: { merchant_id: theirs } },
  }
}

const attacked = operations.filter(
  ({ callers }) => !callers.every(caller => caller === 'payer' || caller === 'acquirer'),
)

/** What the dispatcher changes by itself. It also disables an endpoint after twenty failed deliveries. */
const changing: Record<string, string> = {
  'webhooks.endpoints': '{exhausted_in_a_row,last_delivery_at,last_delivery_status,status,disabled_reason,updated_at}',
}

/** Counts and hashes what a merchant has, without what changes by itself. */
async function hashOf(merchant: string): Promise<unknown[]> {
  const tables = await stack.query(
    `select table_schema || '.' || table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where column_name = 'merchant_id' and table_type = 'BASE TABLE' and table_schema in ('gateway', 'checkout', 'transactions', 'webhooks')
       and table_name !~ '(outbox|inbox|idempotency|count|usage|deliver|job|attempt|lanes|mails|_hour)' order by 1`,
    [],
  )
  return Promise.all(
    tables.map(async ({ name }) => {
      const fields = `'${changing[name] ?? '{}'}'::text[]`
      const select = `select count(*), md5(string_agg((to_jsonb(one) - ${fields})::text, ',' order by one::text)) from ${name} one where merchant_id = $1`
      return [name, ...Object.values((await stack.query(select, [merchant]))[0])]
    }),
  )
}

async function attack(
  operation: Operation,
  call: MatrixCall,
  [who, { client }]: [string, MatrixCaller],
  claim: string,
) {
  const { merchant_id: theirs, second } = stack.stack
  const { headers = {}, query = '', body } = claimsOf(theirs, second.merchant_id)[claim] ?? {}
  const path = operation.path.replace(/:(\w+)/g, (_all, name) => call.params?.[name] ?? '')
  const sent = operation.body || body ? { ...call.body, ...body } : call.body
  const answer = await client.call(operation.method, `${path}${query}`, operation.method === 'GET' ? undefined : sent, {
    ...call.headers,
    ...headers,
  })
  const about = `${operation.id} by ${who} with ${claim}: ${answer.status}`
  const text = JSON.stringify(answer.body ?? '')
  const named = [...`${path} ${JSON.stringify(call.body ?? '')}`.matchAll(/[a-z]+_[0-9a-hjkmnp-tv-z]{26}/g)].map(
    ([id]) => id,
  )
  const isTheirs = named.length > 0 || Object.keys(call.params ?? {}).length > 0
  if (answer.status >= 500) return `${about} is a server error`
  // A lifecycle is a list of events: of another merchant's it has none, as if the lifecycle did not exist.
  const isEmptyList = operation.id === 'getLifecycle' && answer.body?.data?.length === 0
  if (isTheirs && answer.status < 400 && !isEmptyList) return `${about} is about an object of the other merchant`
  const seen = [theirs, ...named].filter(id => text.includes(id))
  return seen.length > 0 ? `${about} names ${seen}` : undefined
}

test('no credential of another merchant reads or changes anything, whatever merchant it claims', async () => {
  const theirs = stack.stack.merchant_id
  const prepared = await pLimit(1).map(attacked, async operation => ({
    operation,
    call: (await calls[operation.id]?.()) ?? {},
  }))
  const all = prepared.flatMap(({ operation, call }) =>
    attackers.flatMap(attacker =>
      Object.keys(claimsOf('', '')).map(claim => () => attack(operation, call, attacker, claim)),
    ),
  )
  expect(all.length).toBeGreaterThanOrEqual(minCalls)
  const chosen = all.filter((_attack, place) => place % every === 0)
  const before = await waitFor(
    async () => {
      const [one, other] = [await hashOf(theirs), await hashOf(theirs)]
      return JSON.stringify(one) === JSON.stringify(other) && one
    },
    { intervalMs: 500 },
  )
  const found = await pLimit(concurrency).map(chosen, run => run())
  process.stdout.write(`${chosen.length} calls across tenants\n`)
  expect(found.filter(problem => problem !== undefined)).toEqual([])
  expect(await hashOf(theirs)).toEqual(before)
})
