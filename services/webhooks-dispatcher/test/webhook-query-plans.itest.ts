import { type Caller, deliveryOperations, type ListQuery, webhooks } from '@cobro/contracts'
import { listRows, type Reader } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { listStatements } from '@cobro/testing'
import { usualClaim } from '../src/delivery-queue/claim-deliveries.ts'
import { ignoreFailpoints } from '../src/delivery-queue/failpoints.ts'
import { readFeed } from '../src/event-feed/read-feed.ts'
import { recordAttempts } from '../src/sending/record-attempts.ts'
import { fanOutEvents } from '../src/webhook-deliveries/fan-out-events.ts'
import { listDeliveries } from '../src/webhook-deliveries/list-deliveries.ts'
import { EndpointEntity } from '../src/webhooks/endpoint-entity.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

const merchant = keyCaller()

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
  await world.run(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at) values ('e', 'm', '', '', '{}', now())`,
  )
  const owner = `case when i % 20 = 0 then '${merchant.merchant_id}' else 'm' || i % 20 end`
  await world.run(
    `insert into webhooks.deliveries (id, webhook_id, merchant_id, url, event_id, event, kind, status, created_at)
     select 'd' || i, 'w', ${owner}, 'u', 'e', '', 'manual', 'succeeded', now() - i * interval '1 minute' from generate_series(1, 20000) i`,
  )
  await world.run(
    `insert into webhooks.endpoints (id, merchant_id, url, events, status, secret, secret_masked, created_at, updated_at)
     select 'w' || i, ${owner}, 'u', '{}', 'active', '', '', now() - i * interval '1 minute', now() from generate_series(1, 20000) i`,
  )
  await world.run(
    `insert into webhooks.lanes (webhook_id, next_due, served_at, merchant_id)
     select id, case when id = 'w1' then now() end, now(), merchant_id from webhooks.endpoints`,
  )
  await world.run(
    `insert into webhooks.jobs (delivery_id, webhook_id, due_at) select 'd' || i, 'w1', now() from generate_series(1, 20000) i`,
  )
  for (const table of ['lanes', 'jobs', 'events']) await world.asOwner(`analyze webhooks.${table}`)
  await world.asOwner('analyze webhooks.deliveries')
  await world.asOwner('analyze webhooks.endpoints')
})
afterAll(() => world.stop())

type List = (em: Reader, caller: Caller, query: ListQuery) => Promise<unknown>
const lists: [string, List, string][] = [
  [
    'deliveries',
    (em, caller, query) =>
      listDeliveries({ db: { read: (work: (em: Reader) => unknown) => work(em) } as never }, caller, query),
    'deliveries_newest',
  ],
  ['webhooks', (em, caller, query) => listRows(em, EndpointEntity, caller, query, { search: [] }), 'endpoints_newest'],
]

/** Returns the query plan for the first page of a list. */
async function explainQuery(list: List, caller: Caller): Promise<string> {
  const { query } = list === lists[0]![1] ? deliveryOperations.list : webhooks.operations.list
  const asked = query.parse({}) as ListQuery
  const [page] = await listStatements(world.db.orm, recorder => list(recorder, caller, asked))
  const [row] = await world.run<{ 'QUERY PLAN': unknown }>(`explain (format json) ${page}`)
  return JSON.stringify(row)
}

test.each(lists)(
  "listing an operator's newest %s of all merchants uses an index and no sort",
  async (_what, list, index) => {
    const plan = await explainQuery(list, operatorCaller('all'))
    expect(plan).toContain(`${index}_of_all`)
    expect(plan).not.toMatch(/Seq Scan|Sort Key/)
  },
)

test("listing a merchant's newest deliveries uses an index and no sort", async () => {
  const plan = await explainQuery(lists[0]![1], merchant)
  expect(plan).toContain('"deliveries_newest"')
  expect(plan).not.toMatch(/Seq Scan|Sort Key/)
})

/** Returns the plan of a statement that is prepared once for all values. */
async function planForAllValues(statement: string, { run } = world): Promise<string> {
  let place = 0
  const prepared = statement.replace(/\?/g, () => `$${++place}`)
  return JSON.stringify(await run(`explain (generic_plan, format json) ${prepared}`))
}

test('a claim reads by index from a long queue among many, even with one plan for all values', async () => {
  const plan = await planForAllValues(usualClaim)
  expect(plan).toContain('"jobs_due"')
  expect(plan).not.toContain('"Seq Scan"')
  // An insert without rows runs the trigger of the table too.
  expect(plan).not.toContain('"attempts"')
})

describe('claims and fan-outs read no due times in a bitmap scan, which visits all dead ones', () => {
  let small: QueueWorld
  beforeAll(async () => {
    small = await queueWorld()
  })
  afterAll(() => small.stop())

  const check = async (database: QueueWorld) => {
    const statements = [usualClaim]
    const onceEach = async (_ids: string[], effect: string) => {
      statements.push(`with fresh as (select ?::text as message_id) ${effect}`)
      return { fresh: 0, woken: [], leased: [] } as never
    }
    await fanOutEvents({ onceEach }, [])
    for (const statement of statements) {
      const plan = await planForAllValues(statement, database)
      expect(plan).toContain('"lanes"')
      expect(plan).not.toMatch(/"Bitmap Index Scan"[^{}]*"lanes_due"/)
    }
  }

  test('with many queues', () => check(world))

  test('in a new database', () => check(small))

  test('with twenty queues, after a vacuum', async () => {
    await small.run(
      `insert into webhooks.lanes (webhook_id, next_due) select 'w' || i, now() from generate_series(1, 20) i`,
    )
    await small.asOwner('vacuum analyze webhooks.lanes')
    await check(small)
  })
})

/** Returns how recording attempts finds its rows: the index of each scan, undefined for one without. */
async function indexesOfRecording(database: QueueWorld): Promise<Set<string | undefined>> {
  let plan = ''
  const executeWithEvents = async (expressions: string) => {
    plan = await planForAllValues(`with ${expressions} select * from effect`, database)
    return []
  }
  await recordAttempts({ db: { executeWithEvents } as never, failpoint: ignoreFailpoints }, [])
  const read = [...plan.matchAll(/"Node Type":"(Seq Scan|Index Scan|Bitmap \w+ Scan)"[^{}]*/g)].map(([node]) => node)
  return new Set(read.map(node => /"Index Name":"(\w+)"/.exec(node)?.[1]))
}

test('recording attempts looks up jobs and deliveries by id, even with one plan for all values', async () => {
  const expected = ['jobs_pkey', 'endpoints_pkey', 'lanes_pkey', 'deliveries_pkey']
  expect(await indexesOfRecording(world)).toEqual(new Set(expected))
})

test('recording attempts reads no table whole, although all were short when they were analyzed', async () => {
  const short = await queueWorld()
  try {
    await short.endpoint(1)
    await short.asOwner('vacuum analyze webhooks.jobs, webhooks.lanes, webhooks.deliveries, webhooks.endpoints')
    expect(await indexesOfRecording(short)).not.toContain(undefined)
  } finally {
    await short.stop()
  }
})

test.each([undefined, { names: ['payment.refunded'], prefixes: ['payment_link.'] }])(
  'a page of the feed with the events %j reads by index',
  async events => {
    await world.run(
      `insert into webhooks.events (id, merchant_id, event, body, trace, created_at, sequence)
     select gen_random_uuid(), ?, 'payment.approved', '', '{}', now(), (select count(*) from webhooks.events) + i
     from generate_series(1, 10000) i`,
      [merchant.merchant_id],
    )
    await world.asOwner('analyze webhooks.events')
    let plan = ''
    const execute = async (sql: string, params: readonly unknown[]) => {
      plan = JSON.stringify(await world.run(`explain (format json) ${sql}`, [...params]))
      return [{ after: 0, head: 0, floor: 1, sequence: null }]
    }
    await readFeed({ ...world.db, execute: execute as never }, merchant.merchant_id, { after: 0, limit: 50, events })
    expect(plan).toContain('"events_sequence"')
    expect(plan).not.toContain('"Seq Scan"')
  },
)
