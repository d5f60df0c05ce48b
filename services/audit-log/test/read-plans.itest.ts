import { auditOperations, type Caller, newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { vacuumTable } from '@cobro/testing'
import { listEvents } from '../src/events/audit-event-routes.ts'
import { type LogWorld, logWorld } from './log-world.ts'
import { seedLog } from './seed-log.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const events = long ? 5_000_000 : 100_000
const patienceMs = long ? 3_600_000 : 120_000
const merchant = newId('mrc')
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
}, patienceMs)
afterAll(async () => {
  if (long) process.stdout.write(`\n${report.join('\n')}\n`)
  await world.close()
})

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Node[]
}
interface Plan {
  ms: number
  rows: number
  nodes: Node[]
}

/** The statements that a list makes: that of its page, then that of its count. */
async function statementsOf(caller: Caller, text: string): Promise<string[]> {
  const asked = auditOperations.list.query.parse(Object.fromEntries(new URLSearchParams(text)))
  const built: string[] = []
  const em = () => world.log.db.orm.em.fork() as any
  const recorder = {
    find: async (entity: never, where: never, { limit, offset, orderBy }: any) => {
      const page = em().createQueryBuilder(entity).where(where).orderBy(orderBy).limit(limit).offset(offset)
      built.push(page.getFormattedQuery())
      return []
    },
    findAndCount: async (entity: never, where: never, page: any) => {
      await recorder.find(entity, where, page)
      built.push(em().createQueryBuilder(entity).count().where(where).getFormattedQuery())
      return [[], 0]
    },
    execute: async (sql: string) => {
      built.push(sql)
      return []
    },
  }
  await listEvents(recorder as never, caller, asked)
  return built
}

async function planOf(sql: string): Promise<Plan> {
  const [line] = await world.sql<any>(`explain (analyze, format json) ${sql}`)
  const [{ Plan: top, 'Execution Time': ms }] = line['QUERY PLAN']
  const nodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)]
  return { ms, rows: top['Actual Rows'], nodes: nodes(top) }
}

async function plansOf(caller: Caller, text: string): Promise<[page: Plan, count: Plan]> {
  const [page, count] = await statementsOf(caller, text)
  const plans: [Plan, Plan] = [await planOf(page!), await planOf(count!)]
  const indexes = (plan: Plan) => [...new Set(plan.nodes.flatMap(node => node['Index Name'] ?? []))].join(' + ')
  report.push(
    `${'merchant_id' in caller ? 'merchant: ' : ''}${text} | ${plans.map(plan => `${indexes(plan)} ${plan.rows} rows ${plan.ms.toFixed(1)} ms`).join(' | ')}`,
  )
  return plans
}

/** Partitions that hold anything. An empty one is read whole in no time. */
const readsWhole = ({ nodes }: Plan) =>
  nodes.some(
    node => node['Node Type'] === 'Seq Scan' && /^events/.test(node['Relation Name'] ?? '') && node['Actual Rows'] > 0,
  )
const sorts = ({ nodes }: Plan) => nodes.some(node => node['Node Type'] === 'Sort')
/** The most rows that any step handed on. */
const touched = ({ nodes }: Plan) => Math.max(...nodes.map(node => node['Actual Rows'] * node['Actual Loops']))

const all = operatorCaller('all')
const one = operatorCaller('all', merchant)

test.each<[string, Caller, string]>([
  ['everything', all, ''],
  ['everything, the oldest first', all, 'order=occurred_at&dir=asc'],
  ['one merchant', one, ''],
  ['an action', all, 'action=payment.approved'],
  ['a rare category', all, 'category=error'],
  ['a category', all, 'category=webhook'],
  ['everything by action', all, 'order=action'],
  ['everything by category, from the front', all, 'order=category&dir=asc'],
])(
  'a page of %s is read off an index of each month in its order, and no more than the page',
  async (_what, caller, query) => {
    const [page, count] = await plansOf(caller, query)
    expect([readsWhole(page), sorts(page), page.rows, touched(page) <= 200]).toEqual([false, false, 50, true])
    expect(readsWhole(count)).toBe(false)
  },
  patienceMs,
)

test(
  'the whole log is counted by its end',
  async () => {
    const [, count] = await plansOf(all, '')
    expect(touched(count)).toBe(1)
  },
  patienceMs,
)

test.each(['correlation_id', 'request_id', 'target_id'] as const)(
  '%s finds the few that it names by an index',
  async name => {
    for (const caller of [all, one]) {
      const [page, count] = await plansOf(caller, `${name}=${known[name]}`)
      expect([readsWhole(page), readsWhole(count), page.rows >= 1, touched(page) <= 20]).toEqual([
        false,
        false,
        true,
        true,
      ])
    }
  },
  patienceMs,
)

test.each<[string, string]>([
  ['days', `from=${dayBefore(3)}&to=${dayBefore(2)}`],
  ['a category of some days', `category=webhook&from=${dayBefore(3)}&to=${dayBefore(2)}`],
  ['an action of some days', `action=payment.created&from=${dayBefore(3)}&to=${dayBefore(2)}`],
  ['free text of some days', `search=hosted&from=${dayBefore(3)}&to=${dayBefore(2)}`],
])(
  'the page and the count of %s come from an index',
  async (_what, query) => {
    for (const caller of [all, one]) {
      const [page, count] = await plansOf(caller, query)
      expect([readsWhole(page), readsWhole(count)]).toEqual([false, false])
    }
  },
  patienceMs,
)

test(
  'counts are those of the rows',
  async () => {
    const statement = (await statementsOf(all, ''))[1]!
    expect(await world.sql(statement)).toEqual([{ count: String(events) }])
    expect(await world.sql('select count(*) from audit.events')).toEqual([{ count: String(events) }])
  },
  patienceMs,
)

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
