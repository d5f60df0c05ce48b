import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, newId } from '@cobro/contracts'
import { type BenchRun, type BenchStack, print, startBenchStack } from './bench-stack.ts'
import { countStatements } from './count-statements.ts'
import { type FeedReaders, startFeedReaders, untilWaiting } from './feed-readers.ts'
import { measureMachine } from './machine-load.ts'
import { percentile } from './median.ts'
import { memoryOf } from './payment-costs.ts'
import { startWebhookLoad } from './start-webhook-load.ts'
import type { WebhookLoad, WebhookLoaded } from './webhook-load.ts'

/** What the parts of a run share. */
interface Run extends BenchRun, BenchStack {
  load: (what: WebhookLoad) => Promise<WebhookLoaded>
  /** Merchants with events. */
  busy: Id<'mrc'>[]
  /** Merchants without events. */
  quiet: Id<'mrc'>[]
}

/** As many as a merchant may have. */
const waitsPerMerchant = 5
const warmUp = { perSecond: 100, seconds: 5 }
const normal = { perSecond: 100, seconds: 20 }
const memoryRounds = 3
const idleSeconds = 5
const settleMs = 3_000
const deliveryTimeoutMs = 30_000
const mebibyte = 1_048_576

/**
 * Measures the event feed of one dispatcher: what 500 waiting calls cost, and the delay from an event's scheduled time to a
 * waiting reader, alone and beside 400 others that wait.
 */
export async function benchFeed(options: BenchRun): Promise<void> {
  const bench = await startBenchStack({ services: ['webhooks-dispatcher'] }, options)
  const { emit: load } = await startWebhookLoad(bench.stack, 'cobro', options.onStop)
  const merchants = Array.from({ length: 100 }, () => newId('mrc'))
  const run: Run = { ...options, ...bench, load, busy: merchants.slice(0, 20), quiet: merchants.slice(20) }
  await measureDelays(run, 1, [], warmUp)
  // First, while the heap has not grown yet: it does not shrink soon.
  await measureWaiting(run)
  const alone = await measureDelays(run, 1, [], normal)
  printDelays('20 readers, one of each merchant', alone)
  const waiting = startFeedReaders(run, run.quiet, waitsPerMerchant, () => undefined)
  const beside = await measureDelays(run, waitsPerMerchant, [waiting], normal)
  printDelays('100 readers of 20 merchants beside 400 calls that wait', beside)
  print(`  ratio of p95 ${(percentile(beside.delaysMs, 0.95) / percentile(alone.delaysMs, 0.95)).toFixed(2)}`)
  await waiting.stop()
}

interface Delays extends WebhookLoaded {
  delaysMs: number[]
  lost: number
  machine: ReturnType<ReturnType<typeof measureMachine>>
}

/** Emits events for the busy merchants while readers wait for them. */
async function measureDelays(
  run: Run,
  perMerchant: number,
  others: readonly FeedReaders[],
  rate: { perSecond: number; seconds: number },
): Promise<Delays> {
  const id = newId('req')
  const delaysMs: number[] = []
  const readers = startFeedReaders(run, run.busy, perMerchant, event => {
    if (event.run === id) delaysMs.push(event.delayMs)
  })
  const waiting = perMerchant * run.busy.length + others.length * waitsPerMerchant * run.quiet.length
  await untilWaiting([readers, ...others], waiting, run.signal)
  const machine = measureMachine()
  const loaded = await run.load({ run: id, merchants: run.busy, ...rate })
  const expected = loaded.committed * perMerchant
  for (const endMs = performance.now() + deliveryTimeoutMs; delaysMs.length < expected && performance.now() < endMs; ) {
    run.signal.throwIfAborted()
    await sleep(5)
  }
  const lost = expected - delaysMs.length
  const result = { ...loaded, delaysMs, lost, machine: machine() }
  await readers.stop()
  return result
}

function printDelays(what: string, { delaysMs, lost, behindMs, machine }: Delays): void {
  const ms = (share: number) => percentile(delaysMs, share).toFixed(0)
  const { cores, own, others } = machine
  print(
    `\n${what}, at ${normal.perSecond} events/s: p50 ${ms(0.5)}, p95 ${ms(0.95)}, p99 ${ms(0.99)} ms; aim: p95 at most 300`,
  )
  print(`  missed ${lost}; the load was at most ${Math.round(behindMs)} ms behind`)
  print(`  of ${cores} cores the run had ${own.toFixed(1)}, and what else runs here ${others.toFixed(1)}`)
}

/** Measures memory and statements of the dispatcher while the most calls wait that 100 merchants may have. */
async function measureWaiting(run: Run): Promise<void> {
  const pid = run.stack.process('webhooks-dispatcher').pid
  const merchants = [...run.busy, ...run.quiet]
  const calls = merchants.length * waitsPerMerchant
  const grown: number[] = []
  let statements = Number.NaN
  for (let round = 0; round < memoryRounds; round++) {
    await sleep(settleMs)
    const before = memoryOf({ dispatcher: pid })
    const readers = startFeedReaders(run, merchants, waitsPerMerchant, () => undefined)
    await untilWaiting([readers], calls, run.signal)
    grown.push((memoryOf({ dispatcher: pid }) - before) / mebibyte)
    if (round === 0) statements = await statementsPerSecond(run)
    await readers.stop()
  }
  print(`\n${calls} calls of ${merchants.length} merchants that wait:`)
  const rounds = grown.map(one => one.toFixed(1)).join(', ')
  print(`  memory ${Math.max(...grown).toFixed(1)} MiB more at most (${rounds}); aim: at most 20`)
  print(`  ${statements.toFixed(1)} statements of the dispatcher’s a second`)
}

async function statementsPerSecond({ pool, dir }: Run): Promise<number> {
  const logFile = `${dir}/logs/postgres.log`
  const counts = await countStatements({ pool, logFile }, () => sleep(idleSeconds * 1_000))
  return (counts['cobro-webhooks'] ?? 0) / idleSeconds
}
