import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { type BenchRun, type BenchStack, print, startBenchStack } from './bench-stack.ts'
import { countStatements } from './count-statements.ts'
import { cpuTimeUs } from './cpu-time.ts'
import { addHangingBacklog } from './hanging-backlog.ts'
import { startLoadReceiver } from './load-receiver.ts'
import { type MachineLoad, measureMachine } from './machine-load.ts'
import { median, percentile } from './median.ts'
import { reportProfile } from './profile-report.ts'
import { startWebhookLoad } from './start-webhook-load.ts'
import type { WebhookLoad, WebhookLoaded } from './webhook-load.ts'

const services = ['webhooks-dispatcher'] as const

interface Options extends BenchRun {
  /** Whether to profile the dispatcher. */
  profile: boolean
  /** The duration of the highest rate. */
  seconds: number
}

/** What the parts of a run share. */
interface Run extends Options, BenchStack {
  receiver: Awaited<ReturnType<typeof startLoadReceiver>>
  load: (what: Omit<WebhookLoad, 'run'>) => Promise<Round>
  /** One per endpoint. */
  merchants: Id<'mrc'>[]
}

interface Round extends WebhookLoaded {
  delaysMs: number[]
  lost: number
  doubled: number
  /** From the scheduled time of the first event to the receipt of the last. */
  seconds: number
  cpuUs: number
  machine: MachineLoad
}

const endpoints = 20
const warmUp = { perSecond: 200, seconds: 8 }
const normal = { perSecond: 200, seconds: 20 }
const counted = { perSecond: 200, seconds: 5 }
const fair = { perSecond: 190, seconds: 10 }
const fairRounds = 3
const backlog = 100_000
const deliveryTimeoutMs = 30_000

/**
 * Measures webhooks from commit to receiver: outbox, relay, RabbitMQ, dispatcher, loopback server.
 * Events follow a fixed schedule (an open loop); latency is from the scheduled time to the whole request received.
 */
export async function benchWebhooks(options: Options): Promise<void> {
  const run = await prepare(options)
  const { load, merchants, dir, pool, seconds, profile } = run
  await load({ ...warmUp, merchants })
  printRound(await load({ ...normal, merchants }), normal, 'aim: p95 under 100 ms')
  const logFile = join(dir, 'logs', 'postgres.log')
  const statements = await countStatements({ pool, logFile }, () => load({ ...counted, merchants }))
  const each = ((statements['cobro-webhooks'] ?? 0) / (counted.perSecond * counted.seconds)).toFixed(1)
  print(
    `${each} statements of the dispatcher’s a delivery at 200 events/s, begin and commit among them; aim: at most 6`,
  )
  const high = { perSecond: 1_000, seconds }
  const fromUs = Number(process.hrtime.bigint() / 1000n)
  printRound(await load({ ...high, merchants }), high, 'aim: p95 under 1000 ms')
  await measureFairness(run)
  if (profile) await reportProfile(run, 'webhooks-dispatcher', fromUs)
}

async function prepare(options: Options): Promise<Run> {
  const { profile, signal, onStop } = options
  const bench = await startBenchStack({ services, profiled: profile ? services : [] }, options)
  const receiver = await startLoadReceiver(onStop)
  const emit = await startWebhookLoad(bench.stack, onStop)
  const merchants = Array.from({ length: endpoints }, () => newId('mrc'))
  for (const merchant of merchants) await createEndpoint(bench, merchant, `${receiver.url}/take`)
  const pid = bench.stack.process('webhooks-dispatcher').pid
  const load = (what: Omit<WebhookLoad, 'run'>) => measureRound({ what, receiver, emit, pid, signal })
  return { ...options, ...bench, receiver, load, merchants }
}

/** Measures the load on 19 endpoints before and while a twentieth endpoint never responds. */
async function measureFairness({ load, merchants, pool, receiver }: Run): Promise<void> {
  const [hanging = newId('mrc'), ...others] = merchants
  const rounds = async () => {
    const all: Round[] = []
    for (let round = 0; round < fairRounds; round++) all.push(await load({ ...fair, merchants: others }))
    return all
  }
  const p99s = (all: Round[]) => all.map(({ delaysMs }) => percentile(delaysMs, 0.99))
  const without = p99s(await rounds())
  await addHangingBacklog(pool, { merchant: hanging, url: `${receiver.url}/hang`, size: backlog })
  while (receiver.hanging() < 10) await sleep(50)
  const beside = p99s(await rounds())
  const shown = (all: number[]) => all.map(ms => ms.toFixed(0)).join(', ')
  print(`19 endpoints, p99 of ${fairRounds} rounds each: ${shown(without)} ms alone`)
  print(`  ${shown(beside)} ms beside one that hangs with ${backlog} waiting; ${receiver.hanging()} requests hung`)
  print(`  ratio of the medians ${(median(beside) / median(without)).toFixed(2)}; aim: at most 1.2`)
}

async function measureRound(given: {
  what: Omit<WebhookLoad, 'run'>
  receiver: Run['receiver']
  emit: (load: WebhookLoad) => Promise<WebhookLoaded>
  pid: number
  signal: AbortSignal
}): Promise<Round> {
  const { what, receiver, emit, pid, signal } = given
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
  const machine = machineLoad()
  const lost = loaded.committed - seen.delaysMs.size
  return { ...loaded, delaysMs: [...seen.delaysMs.values()], lost, doubled: seen.doubled, seconds, cpuUs, machine }
}

function printRound(round: Round, { perSecond }: { perSecond: number }, aim: string): void {
  const ms = (share: number) => percentile(round.delaysMs, share).toFixed(0)
  const rate = Math.round(round.committed / round.seconds)
  print(
    `\nat ${perSecond} events/s for ${round.seconds.toFixed(0)} s (${rate}/s delivered): p50 ${ms(0.5)}, p95 ${ms(0.95)}, p99 ${ms(0.99)} ms; ${aim}`,
  )
  const { cores, own, others } = round.machine
  print(`  lost ${round.lost}, doubled ${round.doubled}; the load was at most ${Math.round(round.behindMs)} ms behind`)
  print(
    `  processor time each: ${Math.round(round.cpuUs)} µs of the dispatcher, ${Math.round((own * 1e6) / rate)} µs of all that belongs to the run; of ${cores} cores it had ${own.toFixed(1)}, and what else runs here ${others.toFixed(1)}`,
  )
}

async function createEndpoint({ stack, identify }: BenchStack, merchant: Id<'mrc'>, url: string): Promise<void> {
  const response = await fetch(`${stack.stack.services['webhooks-dispatcher']?.url}/api/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await identify(keyCaller(merchant), 'webhooks-dispatcher')) },
    body: JSON.stringify({ url, events: ['*'] }),
  })
  if (response.status !== 201) throw new Error(`The endpoint was not created: ${await response.text()}`)
}
