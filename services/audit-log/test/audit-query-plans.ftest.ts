import { auditOperations, type Caller, newId, requestOperations } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import {
  explainList,
  hasSequentialScan,
  hasSort,
  indexesOf,
  listStatements,
  maxRowsTouched,
  type QueryPlan,
  vacuumTable,
} from '@cobro/testing'
import { queryEvents } from '../src/events/list-events.ts'
import { lifecycleOf } from '../src/requests/read-lifecycle.ts'
import { requestsOf } from '../src/requests/requests-of.ts'
import { callMessage, eventMessage } from './audit-log-world.ts'
import { type LogWorld, logWorld } from './log-world.ts'
import { seedLog } from './seed-log.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const events = long ? 5_000_000 : 100_000
const timeoutMs = long ? 3_600_000 : 600_000
const merchant = newId('mrc')
const partition = /^events/
const report: string[] = []
let world: LogWorld
let known: Record<'correlation_id' | 'request_id' | 'target_id', string>

beforeAll(async () => {
  world = await logWorld()
  await seedLog(world.log, { events, merchant })
  await vacuumTable(world.database.query, 'audit.events')
  const [row] = await world.sql<typeof known>(
    `select * from audit.events where merchant_id = '${merchant}' and correlation_id is not null limit 1`,
  )
  known = row!
}, timeoutMs)
afterAll(async () => {
  if (long) process.stdout.write(`\n${report.join('\n')}\n`)
  await world.close()
})

function listing(caller: Caller, text: string) {
  const asked = auditOperations.list.query.parse(Object.fromEntries(new URLSearchParams(text)))
  return (recorder: Parameters<typeof queryEvents>[0]) => queryEvents(recorder, caller, asked)
}

async function plansOf(caller: Caller, text: string): Promise<[page: QueryPlan, count: QueryPlan]> {
  const plans = await explainList(world.database.query, world.log.db.orm, listing(caller, text))
  const indexes = (plan: QueryPlan) => indexesOf(plan).join(' + ')
  report.push(
    `${'merchant_id' in caller ? 'merchant: ' : ''}${text} | ${plans.map(plan => `${indexes(plan)} ${plan.rows} rows ${plan.ms.toFixed(1)} ms`).join(' | ')}`,
  )
  return plans
}

const all = operatorCaller('all')
const one = operatorCaller('all', merchant)

test.each<[string, Caller, string]>([
  ['everything', all, ''],
  ['everything, the oldest first', all, 'order=occurred_at&dir=asc'],
  ['one merchant', one, ''],
  ['an action', all, 'action=payment.approved'],
  ['a rare category', all, 'category=error'],
  ['a category', all, 'category=webhook'],
  ['everything, from deep in the list on', all, `cursor=${Date.now() - 14 * 86_400_000}-evt_0`],
  ['one merchant, from deep in the list on', one, `cursor=${Date.now() - 14 * 86_400_000}-evt_0`],
  ['everything by action', all, 'order=action'],
  ['everything by category, from the front', all, 'order=category&dir=asc'],
])(
  'listing a page of %s reads the index of each month in its order, and few other rows',
  async (_case, caller, query) => {
    const [page, count] = await plansOf(caller, query)
    // By time, the event beyond the page is read too.
    const events = /order=(?!occurred_at)/.test(query) ? 50 : 51
    expect([hasSequentialScan(page, partition), hasSort(page), page.rows]).toEqual([false, false, events])
    // The merchant has a fifth of all events, so newer events of others are skipped.
    expect(maxRowsTouched(page)).toBeLessThanOrEqual(caller === one ? 500 : 200)
    expect(hasSequentialScan(count, partition)).toBe(false)
  },
  timeoutMs,
)

test(
  'counting the whole audit log reads one row',
  async () => {
    const [, count] = await plansOf(all, '')
    expect(maxRowsTouched(count)).toBe(1)
  },
  timeoutMs,
)

test.each(['correlation_id', 'request_id', 'target_id'] as const)(
  'listing audit events by %s uses an index',
  async name => {
    for (const caller of [all, one]) {
      const [page, count] = await plansOf(caller, `${name}=${known[name]}`)
      expect([
        hasSequentialScan(page, partition),
        hasSequentialScan(count, partition),
        page.rows >= 1,
        maxRowsTouched(page) <= 20,
      ]).toEqual([false, false, true, true])
    }
  },
  timeoutMs,
)

test.each<[string, string]>([
  ['days', `from=${dayBefore(3)}&to=${dayBefore(2)}`],
  ['a category of some days', `category=webhook&from=${dayBefore(3)}&to=${dayBefore(2)}`],
  ['an action of some days', `action=payment.created&from=${dayBefore(3)}&to=${dayBefore(2)}`],
  ['free text of some days', `search=hosted&from=${dayBefore(3)}&to=${dayBefore(2)}`],
])(
  'listing and counting audit events by %s uses an index',
  async (_case, query) => {
    for (const caller of [all, one]) {
      const [page, count] = await plansOf(caller, query)
      expect([hasSequentialScan(page, partition), hasSequentialScan(count, partition)]).toEqual([false, false])
    }
  },
  timeoutMs,
)

test.each([
  ['', true],
  ['dir=asc', true],
  [`cursor=${Date.now() - 14 * 86_400_000}-evt_0`, true],
  ['status_class=2xx,4xx', true],
  ['status_class=4xx', false],
])(
  'listing and counting the calls of one merchant by %j reads the index of its own calls',
  async (text, isCommon) => {
    const asked = requestOperations.list.query.parse(Object.fromEntries(new URLSearchParams(text)))
    const matching = requestsOf(one, asked.filters)
    const calls = (recorder: Parameters<typeof queryEvents>[0]) =>
      queryEvents(recorder, one, { ...asked, filters: {} }, matching)
    const [page, count] = await explainList(world.database.query, world.log.db.orm, calls)
    expect([hasSequentialScan(page, partition), hasSequentialScan(count, partition)]).toEqual([false, false])
    const names = await partsOf('events_requests')
    expect([...indexesOf(page), ...indexesOf(count)].filter(name => !names.includes(name))).toEqual([])
    if (isCommon) expect([hasSort(page), page.rows, maxRowsTouched(page) <= 500]).toEqual([false, 51, true])
  },
  timeoutMs,
)

test(
  'the audit event count matches the number of rows',
  async () => {
    const [, statement] = await listStatements(world.log.db.orm, listing(all, ''))
    expect(await world.sql(statement)).toEqual([{ count: String(events) }])
    expect(await world.sql('select count(*) from audit.events')).toEqual([{ count: String(events) }])
  },
  timeoutMs,
)

test(
  'a page of a lifecycle without its reads is read from their index, in its order, however often it was looked at',
  async () => {
    const correlation_id = newId('corr')
    const of = { merchant_id: merchant, correlation_id }
    const looks = Array.from({ length: 2_000 }, () => callMessage('/api/transactions/txn_1', 200, of))
    await world.append([...looks, eventMessage({ ...of, name: 'payment.approved' })])
    for (const kind of ['event,write', 'event', 'write']) {
      const asked = requestOperations.lifecycle.query.parse({ kind })
      const scope = lifecycleOf(one, correlation_id, asked.filters)
      const list = (recorder: Parameters<typeof queryEvents>[0]) =>
        queryEvents(recorder, one, { ...asked, filters: {} }, scope)
      const [page, count] = await explainList(world.database.query, world.log.db.orm, list)
      const names = await partsOf('events_changes')
      expect([...indexesOf(page), ...indexesOf(count)].filter(name => !names.includes(name))).toEqual([])
      expect([page, count].map(plan => maxRowsTouched(plan) <= 10)).toEqual([true, true])
    }
  },
  timeoutMs,
)

/** Returns the names of the index of each month. */
async function partsOf(index: string): Promise<string[]> {
  const parts = await world.sql<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit.${index}'::regclass`,
  )
  return parts.map(({ name }) => name.replace('audit.', ''))
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
