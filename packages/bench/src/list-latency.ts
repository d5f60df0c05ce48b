import { type Id, newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { seedTransactions } from '@cobro/testing'
import type { Pool } from 'pg'
import { type BenchStack, print } from './bench-stack.ts'
import { median, percentile } from './median.ts'

/** A stack with `rows` transactions. One merchant has a fifth of them. */
interface Stock extends BenchStack {
  rows: number
}

const concurrency = 4
const rounds = 7
const callsOfRound = 400
const share = 5

/** The calls: page 1 of 50 rows with its count, and reports. `n` is a different customer each time. */
const lists: Record<string, (n: number) => string> = {
  'default list': () => 'transactions',
  'status filter': () => 'transactions?status=approved',
  'metadata filter': n => `transactions?metadata.customer.id=${n}`,
  'report, 30 days': () => `reports/payments?tz=${zone}`,
  'report, 90 days': () => `reports/payments?tz=${zone}&from=${daysAgo(90)}&group_by=card_brand`,
  'report, a year': () => `reports/payments?tz=${zone}&from=${daysAgo(365)}&interval=month`,
  'declines, 90 days': () => `reports/declines?tz=${zone}&from=${daysAgo(90)}`,
}
const zone = 'America/Mexico_City'
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

interface Latency {
  p50: number
  p99: number
}

/** A stack with seeded transactions. */
interface Filled {
  rows: number
  ask: (query: string) => Promise<void>
  /** The times of each list by name, one per round. */
  seen: Map<string, Latency[]>
}

/**
 * The response time of reports and of a page of a list with its count, and how much longer it takes with more
 * rows. Calls and stacks alternate, and the growth compares consecutive rounds.
 */
export async function measureLists(stocks: readonly Stock[], signal: AbortSignal): Promise<void> {
  const filled: Filled[] = []
  for (const stock of stocks) filled.push(await fill(stock))
  for (let round = 0; round < rounds; round++) {
    for (const [name, queryOf] of Object.entries(lists)) {
      for (const { ask, rows, seen } of filled) {
        signal.throwIfAborted()
        const times = await askOften(n => ask(queryOf(n % (rows / 10))))
        seen.get(name)?.push({ p50: percentile(times, 0.5), p99: percentile(times, 0.99) })
      }
    }
  }
  for (const name of Object.keys(lists)) printList(name, filled)
}

async function fill(stock: Stock): Promise<Filled> {
  const { pool, rows } = stock
  const merchant = newId('mrc')
  const startMs = performance.now()
  const query = async (sql: string, values?: unknown[]) => (await pool.query(sql, values)).rows
  await seedTransactions(query, { merchant, rows, merchantRows: rows / share })
  const seconds = Math.round((performance.now() - startMs) / 1000)
  print(`\n${rows} rows, ${rows / share} of them one merchant’s, seeded in ${seconds} s`)
  await compareCounts(pool, merchant)
  const seen = new Map(Object.keys(lists).map(name => [name, [] as Latency[]]))
  return { rows, ask: listCaller(stock, merchant), seen }
}

function printList(name: string, filled: readonly Filled[]): void {
  const [fewer = [], more = []] = filled.map(({ seen }) => seen.get(name) ?? [])
  for (const [at, latencies] of [fewer, more].entries()) {
    const [p50, p99] = [median(latencies.map(each => each.p50)), median(latencies.map(each => each.p99))]
    print(`${name.padEnd(18)} of ${filled[at]?.rows} rows: p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`)
  }
  const growths = more.map((each, round) => each.p99 / (fewer[round]?.p99 ?? Number.NaN))
  const spread = `rounds ${Math.min(...growths).toFixed(2)} to ${Math.max(...growths).toFixed(2)}`
  print(`${name.padEnd(18)} p99 grows by ${median(growths).toFixed(2)} (${spread}); aim: under 1.5`)
}

/** Calls the service directly with an API key's headers as from the gateway, renewed every 15 s. */
function listCaller({ stack, identify }: Stock, merchant: Id<'mrc'>) {
  const caller = keyCaller(merchant)
  let known = { headers: {}, untilMs: 0 }
  return async (path: string) => {
    if (known.untilMs < Date.now())
      known = { headers: await identify(caller, 'transactions'), untilMs: Date.now() + 15_000 }
    const { headers } = known
    const response = await fetch(`${stack.stack.services.transactions?.url}/api/${path}`, { headers })
    const { data, count } = (await response.json()) as { data?: object; count?: number }
    const isWhole = Array.isArray(data) ? data.length === Math.min(50, count ?? 0) : data !== undefined
    if (!isWhole) throw new Error(`${path} returned ${response.status}.`)
  }
}

async function askOften(ask: (n: number) => Promise<void>): Promise<number[]> {
  const times: number[] = []
  const work = async () => {
    while (times.length < callsOfRound) {
      const startMs = performance.now()
      await ask(Math.floor(Math.random() * 1e9))
      times.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return times
}

/** Compares the cost of the maintained counts with counting the same rows. */
async function compareCounts(pool: Pool, merchant: string): Promise<void> {
  const timed = async (sql: string) => {
    const times: number[] = []
    for (let time = 0; time < 5; time++) {
      const startMs = performance.now()
      await pool.query(sql)
      times.push(performance.now() - startMs)
    }
    return median(times).toFixed(1)
  }
  const merchants = { 'one merchant': `merchant_id = '${merchant}'`, 'all merchants': 'true' }
  for (const [name, where] of Object.entries(merchants))
    for (const and of ['', ` and status = 'approved'`]) {
      const totals = `transactions.transaction_totals${where === 'true' ? '_of_all' : ''}`
      const kept = await timed(`select sum(count) from ${totals} where ${where}${and}`)
      const counted = await timed(
        `select count(*) from transactions.transactions where ${where}${and} and deleted_at is null`,
      )
      print(`count of ${name}${and && ', by status'}: kept ${kept} ms, counted row by row ${counted} ms`)
    }
}
