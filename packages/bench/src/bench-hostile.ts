import autocannon from 'autocannon'
import { type BenchRun, print, startBenchStack } from './bench-stack.ts'
import { cores, moveToCores } from './cores.ts'
import { median } from './median.ts'

const connections = 16
const warmUpSeconds = 5
const roundSeconds = 5
const rounds = 5
/** A payer's page that polls, at a rate that is no load. */
const readsPerSecond = 50

const json = { 'content-type': 'application/json' }
/** Digits with separators, which a careless search for card numbers scans again from each of them. */
const digits = (length: number) => '6-'.repeat(length / 2)

/** Calls without a credential that aim at the processor: each costs more than it looks. */
const hostileCalls: autocannon.Request[] = [
  { method: 'GET', path: `/${digits(7_600)}` },
  { method: 'POST', path: '/nowhere', headers: json, body: JSON.stringify({ note: digits(200_000) }) },
  { method: 'POST', path: '/api/auth/refresh', headers: json, body: JSON.stringify({ refresh_token: digits(4_000) }) },
  { method: 'GET', path: '/api/transactions', headers: { authorization: `Bearer ${digits(8_000)}` } },
  { method: 'GET', path: `/api/transactions?search=${digits(4_000)}` },
  { method: 'GET', path: '/health', headers: { 'user-agent': digits(8_000), 'x-forwarded-for': digits(4_000) } },
]

/**
 * Measures how long a stranger's read takes while others send hostile calls at half of the rate
 * that the gateway can answer, and prints the ratio to an idle gateway. Rounds alternate.
 */
export async function benchHostile({ signal, onStop }: BenchRun): Promise<void> {
  const separate = cores.enough && moveToCores(process.pid, cores.rest)
  const { stack } = await startBenchStack({ services: ['gateway', 'checkout'] }, { signal, onStop })
  const { base_url, services } = stack.stack
  if (separate) moveToCores(services.gateway?.pid ?? 0, cores.front)
  const read = { url: `${base_url}/.well-known/jwks.json`, connections: 1, overallRate: readsPerSecond }
  const hostile = { url: base_url, connections, requests: hostileCalls }
  const run = (options: autocannon.Options, duration: number) => {
    signal.throwIfAborted()
    return autocannon({ ...options, duration })
  }
  await run(read, warmUpSeconds)
  const { requests } = await run(hostile, warmUpSeconds)
  const capacity = (await run(hostile, roundSeconds)).requests.total / roundSeconds
  print(`hostile calls: ${capacity.toFixed(0)} a second answered, after ${requests.total} to warm up`)

  const idle: number[] = []
  const loaded: number[] = []
  for (let round = 0; round < rounds; round++) {
    idle.push((await run(read, roundSeconds)).latency.p99)
    const attack = run({ ...hostile, overallRate: Math.round(capacity / 2) }, roundSeconds)
    loaded.push((await run(read, roundSeconds)).latency.p99)
    await attack
  }
  const ratios = loaded.map((p99, round) => p99 / (idle[round] ?? Number.NaN))
  print(`p99 of a stranger's read, idle: ${median(idle)} ms, with hostile calls at half the rate: ${median(loaded)} ms`)
  print(
    `under load / idle: ${median(ratios).toFixed(2)} (rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), aim: at most 2`,
  )
}
