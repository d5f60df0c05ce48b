import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { type BenchRun, type BenchStack, print, startBenchStack } from './bench-stack.ts'
import { countStatements } from './count-statements.ts'
import { createFloorTables, readWebhookRows } from './floor/payment-rows.ts'
import { startFloor } from './floor/start-floor.ts'
import { addHangingBacklog } from './hanging-backlog.ts'
import { startLoadReceiver } from './load-receiver.ts'
import { median, percentile } from './median.ts'
import { reportProfile } from './profile-report.ts'
import { startWebhookLoad } from './start-webhook-load.ts'
import { type LoadWebhooks, loadWebhooks, printRates, printRound, type Round } from './webhook-rounds.ts'

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
  load: LoadWebhooks
  /** One per endpoint. */
  merchants: Id<'mrc'>[]
}

const endpoints = 20
const warmUp = { perSecond: 200, seconds: 8 }
const rates = [
  { perSecond: 20, seconds: 20 },
  { perSecond: 200, seconds: 20 },
]
const highest = 1_000
const counted = { perSecond: 200, seconds: 5 }
const fair = { perSecond: 190, seconds: 10 }
const fairRounds = 3
const backlog = 100_000

/**
 * Measures webhooks from commit to receiver: outbox, relay, RabbitMQ, dispatcher, loopback server. First
 * through Cobro, then through the floor of `bench payments` on the same servers. Events follow a fixed schedule (an
 * open loop); latency is from the scheduled time to the whole request received.
 */
export async function benchWebhooks(options: Options): Promise<void> {
  const run = await prepare(options)
  const { load, merchants, dir, pool, profile } = run
  await load({ ...warmUp, merchants })
  const fromUs = Number(process.hrtime.bigint() / 1000n)
  const cobro = await measureRates('Cobro', run, load)
  const logFile = join(dir, 'logs', 'postgres.log')
  const statements = await countStatements({ pool, logFile }, () => load({ ...counted, merchants }))
  const each = ((statements['cobro-webhooks'] ?? 0) / (counted.perSecond * counted.seconds)).toFixed(1)
  print(
    `\n${each} statements of the dispatcher’s a delivery at 200 events/s, begin and commit among them; aim: at most 2.5`,
  )
  await measureFairness(run)
  if (profile) return reportProfile(run, 'webhooks-dispatcher', fromUs)
  const loadFloor = await floorLoad(run)
  await loadFloor({ ...warmUp, merchants })
  printRates(cobro, await measureRates('floor', run, loadFloor))
}

async function measureRates(system: string, { merchants, seconds }: Run, load: LoadWebhooks): Promise<Round[]> {
  const rounds: Round[] = []
  for (const rate of [...rates, { perSecond: highest, seconds }]) {
    const round = await load({ ...rate, merchants })
    printRound(system, round)
    rounds.push(round)
  }
  return rounds
}

async function prepare(options: Options): Promise<Run> {
  const { profile, signal, onStop } = options
  const bench = await startBenchStack({ services, profiled: profile ? services : [] }, options)
  const receiver = await startLoadReceiver(onStop)
  const emit = await startWebhookLoad(bench.stack, 'cobro', onStop)
  const merchants = Array.from({ length: endpoints }, () => newId('mrc'))
  for (const merchant of merchants) await createEndpoint(bench, merchant, `${receiver.url}/take`)
  const { pid } = bench.stack.process('webhooks-dispatcher')
  return { ...options, ...bench, receiver, load: loadWebhooks({ receiver, emit, pid, signal }), merchants }
}

/** Ends the dispatcher, and starts that of the floor, which has one endpoint. */
async function floorLoad({ stack, pool, dir, receiver, signal, onStop }: Run): Promise<LoadWebhooks> {
  const { rows } = await pool.query('select correlation_id from webhooks.events limit 1')
  const webhookRows = await readWebhookRows(pool, rows[0].correlation_id)
  await createFloorTables(pool)
  await stack.process('webhooks-dispatcher').stop()
  const { postgres_url: postgresUrl, amqp_url: amqpUrl } = stack.stack
  const endpoint = { url: `${receiver.url}/take`, secret: 'secret' }
  const settings = { postgresUrl, amqpUrl, rows: webhookRows, endpoint, spoolFile: join(dir, 'floor.spool') }
  const { processes } = await startFloor(settings, onStop, services)
  const emit = await startWebhookLoad(stack, 'floor', onStop)
  return loadWebhooks({ receiver, emit, pid: processes['webhooks-dispatcher'] ?? 0, signal })
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

async function createEndpoint({ stack, identify }: BenchStack, merchant: Id<'mrc'>, url: string): Promise<void> {
  const response = await fetch(`${stack.stack.services['webhooks-dispatcher']?.url}/api/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await identify(keyCaller(merchant), 'webhooks-dispatcher')) },
    body: JSON.stringify({ url, events: ['*'] }),
  })
  if (response.status !== 201) throw new Error(`The endpoint was not created: ${await response.text()}`)
}
