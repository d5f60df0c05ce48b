import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import type { Pool } from 'pg'
import { print } from './bench-stack.ts'
import type { startLoadReceiver } from './load-receiver.ts'
import { type MachineLoad, measureMachine } from './machine-load.ts'
import { percentile } from './median.ts'
import { type Processes, readSpent, spentEach, statisticsDelayMs } from './payment-costs.ts'
import { printLine, printRatio, ratioColumns } from './print-measurements.ts'
import type { WebhookLoader } from './start-webhook-load.ts'
import type { WebhookLoad, WebhookLoaded } from './webhook-load.ts'

/** What was measured at a rate. */
export interface Round extends WebhookLoaded {
  perSecond: number
  /** Since the events were due. */
  delaysMs: number[]
  /** Since their commits began. */
  fromEmitMs: number[]
  lost: number
  doubled: number
  /** From the scheduled time of the first event to the receipt of the last. */
  seconds: number
  /** The CPU time for each event, by process. */
  cpuUs: Record<string, number>
  machine: MachineLoad
}

/** Emits events, and waits until their webhooks are received. */
export type LoadWebhooks = (what: Omit<WebhookLoad, 'run'>) => Promise<Round>

const deliveryTimeoutMs = 30_000

interface Loaded {
  receiver: Awaited<ReturnType<typeof startLoadReceiver>>
  loader: WebhookLoader
  /** The processes to measure. */
  processes: Processes
  pool: Pool
  signal: AbortSignal
}

/** Returns a function that loads a dispatcher with events. */
export function loadWebhooks({ receiver, loader, processes, pool, signal }: Loaded): LoadWebhooks {
  const measured = { ...processes, 'load and relay': loader.pid }
  return async what => {
    const run = newId('req')
    const spent = await readSpent(pool, measured)
    const machineLoad = measureMachine()
    const startMs = performance.now()
    const loaded = await loader.emit({ run, ...what })
    const seen = receiver.of(run)
    const endMs = performance.now() + deliveryTimeoutMs
    while (seen.delaysMs.size < loaded.committed && performance.now() < endMs) {
      signal.throwIfAborted()
      await sleep(5)
    }
    const seconds = (performance.now() - startMs) / 1000
    const machine = machineLoad()
    await sleep(statisticsDelayMs)
    const { cpuUs } = spentEach(spent, await readSpent(pool, measured), loaded.committed)
    const lost = loaded.committed - seen.delaysMs.size
    const counts = { perSecond: what.perSecond, seconds, cpuUs, lost, doubled: seen.doubled, machine }
    return { ...loaded, ...counts, delaysMs: [...seen.delaysMs.values()], fromEmitMs: [...seen.fromEmitMs.values()] }
  }
}

export function printRound(system: string, round: Round): void {
  const { delaysMs, perSecond, seconds, committed, lost, doubled, behindMs, machine } = round
  const ms = (share: number) => percentile(delaysMs, share).toFixed(0)
  const received = ((committed - lost) / seconds).toFixed(0)
  print(
    `\n${system} at ${perSecond} events/s for ${seconds.toFixed(0)} s (${received}/s received): p50 ${ms(0.5)}, p95 ${ms(0.95)}, p99 ${ms(0.99)} ms after they were due`,
  )
  print(`  lost ${lost}, doubled ${doubled}; the load was at most ${Math.round(behindMs)} ms behind`)
  const { cores, own, others } = machine
  print(`  of ${cores} cores the run had ${own.toFixed(1)}, and what else runs here ${others.toFixed(1)}`)
}

/** Prints the rounds of both systems at a rate, with their ratios. Throws if one lost events. */
export function printRate(perSecond: number, [cobro = [], floor = []]: Round[][]): void {
  if ([...cobro, ...floor].some(({ lost }) => lost > 0)) throw new Error(`Events were lost at ${perSecond} a second.`)
  print('')
  printLine(`${perSecond} events/s`, ['Cobro', 'floor', ...ratioColumns])
  const line = (name: string, of: (round: Round) => number) => printRatio(name, cobro.map(of), floor.map(of))
  line('commit to receipt p50, ms', round => percentile(round.fromEmitMs, 0.5))
  line('commit to receipt p95, ms', round => percentile(round.fromEmitMs, 0.95))
  line('CPU time each, ms', ({ cpuUs }) => Object.values(cpuUs).reduce((sum, us) => sum + us, 0) / 1000)
  for (const name of Object.keys(cobro[0]?.cpuUs ?? {}))
    line(`  ${name}`, ({ cpuUs }) => (cpuUs[name] ?? Number.NaN) / 1000)
}
