import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { print } from './bench-stack.ts'
import { cpuTimeUs } from './cpu-time.ts'
import type { startLoadReceiver } from './load-receiver.ts'
import { type MachineLoad, measureMachine } from './machine-load.ts'
import { percentile } from './median.ts'
import { printLine, shown } from './print-measurements.ts'
import type { WebhookLoad, WebhookLoaded } from './webhook-load.ts'

/** What was measured at a rate. */
export interface Round extends WebhookLoaded {
  perSecond: number
  delaysMs: number[]
  lost: number
  doubled: number
  /** From the scheduled time of the first event to the receipt of the last. */
  seconds: number
  /** The CPU time of the dispatcher for each event. */
  cpuUs: number
  machine: MachineLoad
}

/** Emits events, and waits until their webhooks are received. */
export type LoadWebhooks = (what: Omit<WebhookLoad, 'run'>) => Promise<Round>

const deliveryTimeoutMs = 30_000

/** Returns a function that loads a dispatcher, whose process it measures. */
export function loadWebhooks(given: {
  receiver: Awaited<ReturnType<typeof startLoadReceiver>>
  emit: (load: WebhookLoad) => Promise<WebhookLoaded>
  pid: number
  signal: AbortSignal
}): LoadWebhooks {
  const { receiver, emit, pid, signal } = given
  return async what => {
    const run = newId('req')
    const machineLoad = measureMachine()
    const [startMs, startCpu] = [performance.now(), cpuTimeUs(pid)]
    const loaded = await emit({ run, ...what })
    const seen = receiver.of(run)
    const endMs = performance.now() + deliveryTimeoutMs
    while (seen.delaysMs.size < loaded.committed && performance.now() < endMs) {
      signal.throwIfAborted()
      await sleep(5)
    }
    const seconds = (performance.now() - startMs) / 1000
    const cpuUs = (cpuTimeUs(pid) - startCpu) / loaded.committed
    const { perSecond } = what
    const lost = loaded.committed - seen.delaysMs.size
    const counts = { perSecond, seconds, cpuUs, lost, doubled: seen.doubled }
    return { ...loaded, ...counts, delaysMs: [...seen.delaysMs.values()], machine: machineLoad() }
  }
}

export function printRound(system: string, round: Round): void {
  const { delaysMs, perSecond, seconds, lost, doubled, behindMs, machine } = round
  const ms = (share: number) => percentile(delaysMs, share).toFixed(0)
  print(
    `\n${system} at ${perSecond} events/s for ${seconds.toFixed(0)} s (${deliveredPerSecond(round).toFixed(0)}/s delivered): p50 ${ms(0.5)}, p95 ${ms(0.95)}, p99 ${ms(0.99)} ms`,
  )
  print(`  lost ${lost}, doubled ${doubled}; the load was at most ${Math.round(behindMs)} ms behind`)
  const { cores, own, others } = machine
  print(
    `  processor time each: ${Math.round(round.cpuUs)} µs of the dispatcher, ${Math.round(allCpuUs(round))} µs of all that belongs to the run; of ${cores} cores it had ${own.toFixed(1)}, and what else runs here ${others.toFixed(1)}`,
  )
}

/** Prints the latencies and CPU times of both systems at each rate, with their ratios. */
export function printRates(cobro: Round[], floor: Round[]): void {
  for (const [at, ours] of cobro.entries()) {
    const theirs = floor[at]
    if (!theirs) continue
    print('')
    printLine(`${ours.perSecond} events/s`, ['Cobro', 'floor', 'ratio'])
    const line = (name: string, of: (round: Round) => number) =>
      printLine(name, [shown(of(ours)), shown(of(theirs)), shown(of(ours) / of(theirs))])
    line('commit to receipt p50, ms', round => percentile(round.delaysMs, 0.5))
    line('commit to receipt p95, ms', round => percentile(round.delaysMs, 0.95))
    line('CPU time each, µs', allCpuUs)
    line('  dispatcher', round => round.cpuUs)
  }
}

const deliveredPerSecond = ({ committed, seconds }: Round) => committed / seconds
/** The CPU time of the whole run for each event: servers, dispatcher, load and receiver. */
const allCpuUs = (round: Round) => (round.machine.own * 1e6) / deliveredPerSecond(round)
