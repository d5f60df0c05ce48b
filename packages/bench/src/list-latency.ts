import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '@cobro/contracts'
import { identitySigner, internalHeaders } from '@cobro/http'
import type { RunningStack } from '@cobro/local'
import { seedTransactions } from '@cobro/testing'
import type { Pool } from 'pg'
import { median, percentile } from './median.ts'

interface Run {
  dir: string
  stack: RunningStack
  pool: Pool
  /** A fifth of them is one merchant's. */
  rows: number
  signal: AbortSignal
  print: (line: string) => void
}

const atOnce = 4
const rounds = 7
const callsOfRound = 400
const share = 5

/** What is asked for, page 1 of 50 and its count; `n` is another customer each time. */
const lists: Record<string, (n: number) => string> = {
  'default list': () => '',
  'status filter': () => 'status=approved',
  'metadata filter': n => `metadata.customer.id=${n}`,
}

interface Latency {
  p50: number
  p99: number
}

/** What was found where there are so many rows: of each list by its name. */
export interface ListFigures {
  rows: number
  latencies: Map<string, Latency>
}

/** How long a page of a list takes, with its count, from call to answer, where there are so many rows. */
export async function measureLists({ dir, stack, pool, rows, signal, print }: Run): Promise<ListFigures> {
  const merchant = newId('mrc')
  const ask = await caller(dir, stack, merchant)
  const startMs = performance.now()
  const query = async (sql: string, values?: unknown[]) => (await pool.query(sql, values)).rows
  await seedTransactions(query, { merchant, rows, merchantRows: rows / share })
  const seconds = Math.round((performance.now() - startMs) / 1000)
  print(`\n${rows} rows, ${rows / share} of them one merchant’s, seeded in ${seconds} s`)
  const latencies = await measureRounds(ask, rows, signal)
  for (const [name, { p50, p99 }] of latencies)
    print(`${name.padEnd(16)} p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`)
  await compareCounts(pool, merchant, print)
  return { rows, latencies }
}

/** Says how much longer the longer lists take. */
export function printGrowth([fewer, more]: readonly ListFigures[], print: (line: string) => void): void {
  for (const [name, { p99 }] of more?.latencies ?? []) {
    const growth = p99 / (fewer?.latencies.get(name)?.p99 ?? Number.NaN)
    print(`${name}: p99 grows by ${growth.toFixed(2)} from ${fewer?.rows} to ${more?.rows} rows, aim: under 1.5`)
  }
}

/** The lists take turns; the figures are medians of the rounds. */
async function measureRounds(
  ask: (query: string) => Promise<void>,
  rows: number,
  signal: AbortSignal,
): Promise<Map<string, Latency>> {
  const seen = new Map<string, Latency[]>(Object.keys(lists).map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, queryOf] of Object.entries(lists)) {
      signal.throwIfAborted()
      const times = await askOften(n => ask(queryOf(n % (rows / 10))))
      seen.get(name)?.push({ p50: percentile(times, 0.5), p99: percentile(times, 0.99) })
    }
  }
  const middle = (of: Latency[]) => ({ p50: median(of.map(each => each.p50)), p99: median(of.map(each => each.p99)) })
  return new Map([...seen].map(([name, of]) => [name, middle(of)]))
}

/** An API key's call of the service itself, which the gateway would sign. */
async function caller(dir: string, { stack }: RunningStack, merchant_id: string) {
  const { internal_signing_key } = JSON.parse(await readFile(join(dir, 'secrets.json'), 'utf8'))
  const sign = await identitySigner(internal_signing_key)
  const identity = {
    kind: 'key',
    id: newId('key'),
    merchant_id,
    merchant_name: 'Bench',
    merchant_status: 'active',
  } as const
  const url = stack.services.transactions?.url ?? ''
  let token = { text: '', untilMs: 0 }
  return async (query: string) => {
    if (token.untilMs < Date.now()) token = { text: await sign(identity, 'transactions'), untilMs: Date.now() + 15_000 }
    const headers = { [internalHeaders.identity]: token.text, [internalHeaders.requestId]: newId('req') }
    const response = await fetch(`${url}/api/transactions?${query}`, { headers })
    const { data, count } = (await response.json()) as { data?: unknown[]; count: number }
    if (!data || data.length !== Math.min(50, count)) throw new Error(`A list was answered ${response.status}.`)
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
  await Promise.all(Array.from({ length: atOnce }, work))
  return times
}

/** What the kept counts cost, and what counting the same rows does. */
async function compareCounts(pool: Pool, merchant: string, print: (line: string) => void): Promise<void> {
  const timed = async (sql: string) => {
    const times: number[] = []
    for (let time = 0; time < 5; time++) {
      const startMs = performance.now()
      await pool.query(sql)
      times.push(performance.now() - startMs)
    }
    return median(times).toFixed(1)
  }
  const ofOne = `merchant_id = '${merchant}'`
  for (const [name, where] of [
    ['one merchant', ofOne],
    ['all merchants', 'true'],
  ]) {
    for (const [filter, and] of [
      ['', ''],
      [', by status', ` and status = 'approved'`],
    ]) {
      const kept = await timed(`select sum(count) from transactions.transaction_totals where ${where}${and}`)
      const counted = await timed(
        `select count(*) from transactions.transactions where ${where}${and} and deleted_at is null`,
      )
      print(`count of ${name}${filter}: kept ${kept} ms, counted row by row ${counted} ms`)
    }
  }
}
