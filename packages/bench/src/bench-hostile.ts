import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { Pool } from 'undici'
import { type BenchRun, print, startBenchStack } from './bench-stack.ts'
import { cores, moveMainThread, moveToCores } from './cores.ts'
import { hostileCalls } from './hostile-calls.ts'
import type { HostileLoad, HostileLoaded } from './hostile-load.ts'
import { median, percentile } from './median.ts'

const connections = 16
const warmUpSeconds = 5
const roundSeconds = 10
const rounds = 5
/** A payer's page that polls, at a rate that is no load. */
const readsPerSecond = 50

/**
 * Measures how long a stranger's read takes while others send hostile calls at half of the rate
 * that the gateway can answer, and prints the ratio to an idle gateway. Rounds alternate. The gateway's event loop has a
 * core to itself; on one core with it, the threads that mark garbage stopped it for 45 ms.
 */
export async function benchHostile({ signal, onStop }: BenchRun): Promise<void> {
  const separate = cores.enough && moveToCores(process.pid, cores.rest)
  const { stack } = await startBenchStack({ services: ['gateway', 'checkout'] }, { signal, onStop })
  const { base_url, services } = stack.stack
  if (separate) moveMainThread(services.gateway?.pid ?? 0, cores.front)
  const [front, load] = [new Pool(base_url, { connections: 4 }), await startLoad(onStop)]
  onStop(() => front.close())
  const read = (seconds: number) => readEvenly(front, seconds, signal)
  const { requests } = await autocannon({ ...hostile(base_url), duration: warmUpSeconds })
  const capacity = (await autocannon({ ...hostile(base_url), duration: roundSeconds })).requests.total / roundSeconds
  print(`hostile calls: ${capacity.toFixed(0)} a second answered, after ${requests.total} to warm up`)
  await read(warmUpSeconds)

  const idle: number[] = []
  const loaded: number[] = []
  let answered = 0
  for (let round = 0; round < rounds; round++) {
    idle.push(percentile(await read(roundSeconds), 0.99))
    const attack = load({ url: base_url, perSecond: Math.round(capacity / 2), seconds: roundSeconds })
    loaded.push(percentile(await read(roundSeconds), 0.99))
    answered += (await attack).answered
  }
  const ratios = loaded.map((p99, round) => p99 / (idle[round] ?? Number.NaN))
  const shown = (all: number[]) => all.map(ms => ms.toFixed(1)).join(', ')
  print(`p99 of a stranger's read, idle: ${shown(idle)} ms`)
  const perSecond = answered / rounds / roundSeconds
  print(`  with ${perSecond.toFixed(0)} hostile calls a second, half the rate: ${shown(loaded)} ms`)
  print(
    `under load / idle: ${median(ratios).toFixed(2)} (rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), aim: at most 2`,
  )
}

const hostile = (url: string): autocannon.Options => ({ url, connections, requests: hostileCalls })

/** Reads at a fixed rate. Returns the time of each read in milliseconds. */
async function readEvenly(front: Pool, seconds: number, signal: AbortSignal): Promise<number[]> {
  const startMs = performance.now()
  const reads: Promise<number>[] = []
  for (let number = 0; number < seconds * readsPerSecond; number++) {
    signal.throwIfAborted()
    const dueMs = startMs + (number / readsPerSecond) * 1000
    await sleep(Math.max(0, dueMs - performance.now()))
    const sentMs = performance.now()
    const answered = front.request({ method: 'GET', path: '/.well-known/jwks.json' })
    reads.push(answered.then(({ body }) => body.dump()).then(() => performance.now() - sentMs))
  }
  return Promise.all(reads)
}

/** Starts a process that sends hostile calls. Returns a function that has it send some. */
async function startLoad(onStop: BenchRun['onStop']): Promise<(load: HostileLoad) => Promise<HostileLoaded>> {
  const child = fork(join(import.meta.dirname, 'hostile-load.ts'))
  onStop(() => child.kill())
  await once(child, 'message')
  return async load => {
    const loaded = once(child, 'message')
    child.send(load)
    return (await loaded)[0]
  }
}
