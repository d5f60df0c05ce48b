import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, heapOptions, isReady } from '@cobro/local-stack'
import type { OnStop } from '@cobro/runtime'
import { Pool } from 'undici'
import { type BenchRun, print, startBenchStack, startServer } from './bench-stack.ts'
import { median, percentile } from './median.ts'

const inFlight = 50
const upstreamMs = 200
const warmUpSeconds = 5
const roundSeconds = 6
const rounds = 5
const calls = [
  {
    name: 'GET, which does not wait for the disk',
    method: 'GET',
    path: '/checkout/v1/sessions/cs_01kdvc4x2m8p6q7r9s0t1v2w3x',
  },
  { name: 'POST, which waits for its group’s fdatasync', method: 'POST', path: '/checkout/v1/sessions' },
] as const

type Way = 'spool' | 'none'

/**
 * Measures the latency that the spool adds to a call: compares gateways with and without it
 * at the same time under the same load. The service takes 200 ms, so many calls are in flight on a mostly idle CPU.
 */
export async function benchSpool({ signal, onStop }: BenchRun): Promise<void> {
  // Replaces checkout.
  const upstream = await startServer((request, response) => {
    request.resume()
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'), upstreamMs)
  }, onStop)
  const env = { gateway: { CHECKOUT_URL: upstream } }
  const { stack } = await startBenchStack({ services: ['gateway'], env }, { signal, onStop })
  const { base_url, api_key } = stack.stack
  const urls: Record<Way, string> = { spool: base_url, none: await startWithout(stack.process('gateway').pid, onStop) }
  const headers = { authorization: `Token ${api_key}`, 'content-type': 'application/json' }
  print(
    `\n${inFlight} calls in flight at each, the service behind them responds after ${upstreamMs} ms; medians of ${rounds} rounds`,
  )
  for (const call of calls) {
    const load = async (seconds: number): Promise<Record<Way, number[]>> => {
      const of = (way: Way) => callFor({ url: urls[way], call, headers, seconds, signal })
      const [spool, none] = await Promise.all([of('spool'), of('none')])
      return { spool, none }
    }
    await load(warmUpSeconds)
    const seen: Record<Way, number[]>[] = []
    for (let round = 0; round < rounds; round++) seen.push(await load(roundSeconds))
    printCall(call.name, seen)
  }
}

function printCall(name: string, seen: Record<Way, number[]>[]): void {
  const of = (way: Way, share: number) => median(seen.map(times => percentile(times[way], share)))
  const added = seen.map(({ spool, none }) => percentile(spool, 0.5) - percentile(none, 0.5))
  const [least, most] = [Math.min(...added), Math.max(...added)].map(ms => ms.toFixed(2))
  const shown = (way: Way) => `p50 ${of(way, 0.5).toFixed(2)} ms  p99 ${of(way, 0.99).toFixed(2)} ms`
  print(`${name}\n  with the spool    ${shown('spool')}\n  without a spool   ${shown('none')}`)
  print(`  added at the median: ${median(added).toFixed(2)} ms (rounds ${least} to ${most}); aim: at most 0.5`)
}

/** Starts a second gateway with the environment of the first, but without a spool. Linux only. */
async function startWithout(pid: number, onStop: OnStop): Promise<string> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter(Boolean)
  const env = Object.fromEntries(environment.map(one => one.split(/=(.*)/s, 2) as [string, string]))
  const preload = ['--import', '@cobro/runtime/telemetry', '--import', join(import.meta.dirname, 'without-spool.ts')]
  const gateway = spawn(process.execPath, [...heapOptions, '--conditions=cobro-source', ...preload, 'src/main.ts'], {
    cwd: join(import.meta.dirname, '..', '..', '..', 'services', 'gateway'),
    // With the same `MALLOC_ARENA_MAX`.
    env: { ...env, PORT: String(port), OTEL_EXPORTER_PROMETHEUS_PORT: String(metricsPort) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onStop(async () => {
    if (gateway.kill()) await once(gateway, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(url))) {
    if (gateway.exitCode !== null) throw new Error('The gateway without a spool does not start.')
    await sleep(50)
  }
  return url
}

interface Load {
  url: string
  call: (typeof calls)[number]
  headers: Record<string, string>
  seconds: number
  signal: AbortSignal
}

/** Keeps a number of calls in flight and returns the duration of each in milliseconds. */
async function callFor({ url, call, headers, seconds, signal }: Load): Promise<number[]> {
  const pool = new Pool(url, { connections: inFlight })
  const endMs = performance.now() + seconds * 1_000
  const times: number[] = []
  const keepCalling = async () => {
    // Staggers the first calls: calls that start together would stay together and wait for each other.
    await sleep(Math.random() * upstreamMs)
    while (performance.now() < endMs) {
      signal.throwIfAborted()
      const startMs = performance.now()
      const body = call.method === 'POST' ? '{"amount_total":25000}' : null
      const answer = await pool.request({ method: call.method, path: call.path, headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`The gateway answers ${answer.statusCode}.`)
      times.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, keepCalling))
  await pool.close()
  return times
}
