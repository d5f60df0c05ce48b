import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import type { Pool } from 'pg'
import { type BenchRun, type BenchStack, print, startBenchStack } from './bench-stack.ts'
import { serverProcesses } from './cobro-system.ts'
import { countStatements } from './count-statements.ts'
import { createFloorTables, readWebhookRows, type WebhookRows } from './floor/payment-rows.ts'
import { startFloor } from './floor/start-floor.ts'
import { addHangingBacklog } from './hanging-backlog.ts'
import { startLoadReceiver } from './load-receiver.ts'
import { median, percentile } from './median.ts'
import { type Processes, postponeCheckpoints } from './payment-costs.ts'
import { reportProfile } from './profile-report.ts'
import { startWebhookLoad } from './start-webhook-load.ts'
import { takeTurns, whileStopped } from './take-turns.ts'
import { type LoadWebhooks, loadWebhooks, printRate, printRound, type Round } from './webhook-rounds.ts'

const services = ['webhooks-dispatcher'] as const

interface Options extends BenchRun {
  /** Whether to profile the dispatcher. */
  profile: boolean
  /** The duration of a round: at most 12, because of `takeTurns`. With `profile`, of the load. */
  seconds?: number | undefined
}

/** What the parts of a run share. */
interface Run extends BenchRun, BenchStack {
  receiver: Awaited<ReturnType<typeof startLoadReceiver>>
  /** PostgreSQL and RabbitMQ. */
  servers: Processes
  cobro: WebhookSide
  /** One per endpoint. */
  merchants: Id<'mrc'>[]
}

/** A system that delivers webhooks, with its processes. */
interface WebhookSide {
  name: string
  own: Processes
  load: LoadWebhooks
}

const endpoints = 20
const warmUp = { perSecond: 200, seconds: 8 }
/** At the start of each turn, and not measured: idle connections were closed, and new ones plan their statements again. */
const runIn = { perSecond: 200, seconds: 3 }
const rates = [20, 200, 1_000]
const rounds = 3
const counted = { perSecond: 200, seconds: 5 }
const fair = { perSecond: 190, seconds: 10 }
const fairRounds = 3
const backlog = 100_000

/**
 * Measures webhooks from commit to receiver: outbox, relay, RabbitMQ, dispatcher, loopback server. Cobro takes turns with
 * the floor of `bench payments` on the same servers. Events follow a fixed schedule (an open loop). With `profile`, shows
 * instead how the dispatcher spends its time at the highest rate.
 */
export async function benchWebhooks(options: Options): Promise<void> {
  const run = await prepare(options)
  const { cobro, merchants, pool } = run
  await postponeCheckpoints(pool)
  await cobro.load({ ...warmUp, merchants })
  if (options.profile) {
    const fromUs = Number(process.hrtime.bigint() / 1000n)
    const perSecond = Math.max(...rates)
    printRound('Cobro', await cobro.load({ perSecond, seconds: options.seconds ?? 60, merchants }))
    return reportProfile(run, 'webhooks-dispatcher', fromUs)
  }
  const { seconds = 10 } = options
  const floor = await floorSide(run, await readWebhookRows(pool, await someCorrelationId(pool)))
  await whileStopped([cobro.own], () => floor.load({ ...warmUp, merchants }))
  for (const perSecond of rates) {
    const turns = [cobro, floor].map(({ name, own, load }) => ({
      own,
      measure: async () => {
        await load({ ...runIn, merchants })
        const round = await load({ perSecond, seconds, merchants })
        printRound(name, round)
        return round
      },
    }))
    printRate(perSecond, await takeTurns(turns, rounds))
  }
  await whileStopped([floor.own], () => countEach(run))
  await measureFairness(run)
}

async function countEach({ pool, dir, cobro: { load }, merchants }: Run): Promise<void> {
  const logFile = join(dir, 'logs', 'postgres.log')
  const statements = await countStatements({ pool, logFile }, () => load({ ...counted, merchants }))
  const each = ((statements['cobro-webhooks'] ?? 0) / (counted.perSecond * counted.seconds)).toFixed(1)
  print(
    `\n${each} statements of the dispatcher’s a delivery at 200 events/s, begin and commit among them; aim: at most 2.5`,
  )
}

/** Returns the correlation id of an event that was delivered. */
async function someCorrelationId(pool: Pool): Promise<string> {
  const { rows } = await pool.query(
    `select correlation_id from webhooks.deliveries where event = 'payment.approved' and status = 'succeeded' limit 1`,
  )
  return rows[0].correlation_id
}

async function prepare(options: Options): Promise<Run> {
  const { profile, signal, onStop } = options
  const bench = await startBenchStack({ services, profiled: profile ? services : [] }, options)
  const { stack, pool } = bench
  const receiver = await startLoadReceiver(onStop)
  const loader = await startWebhookLoad(stack, 'cobro', onStop)
  const merchants = Array.from({ length: endpoints }, () => newId('mrc'))
  for (const merchant of merchants) await createEndpoint(bench, merchant, `${receiver.url}/take`)
  const servers = await serverProcesses(bench)
  const own = { dispatcher: stack.process('webhooks-dispatcher').pid, load: loader.pid }
  const load = loadWebhooks({ receiver, loader, processes: { dispatcher: own.dispatcher, ...servers }, pool, signal })
  return { signal, onStop, ...bench, receiver, merchants, servers, cobro: { name: 'Cobro', own, load } }
}

/** Starts the dispatcher of the floor, which has one endpoint. */
async function floorSide(run: Run, rows: WebhookRows): Promise<WebhookSide> {
  const { stack, pool, dir, receiver, servers, signal, onStop } = run
  await createFloorTables(pool)
  const { postgres_url: postgresUrl, amqp_url: amqpUrl } = stack.stack
  const endpoint = { url: `${receiver.url}/take`, secret: 'secret' }
  const settings = { postgresUrl, amqpUrl, rows, endpoint, spoolFile: join(dir, 'floor.spool') }
  const floor = await startFloor(settings, onStop, ['webhooks-dispatcher'])
  const loader = await startWebhookLoad(stack, 'floor', onStop)
  const own = { dispatcher: floor.processes['webhooks-dispatcher'] ?? Number.NaN, load: loader.pid }
  const load = loadWebhooks({ receiver, loader, processes: { dispatcher: own.dispatcher, ...servers }, pool, signal })
  return { name: 'floor', own, load }
}

/** Measures the load on 19 endpoints before and while a twentieth endpoint never responds. */
async function measureFairness({ cobro: { load }, merchants, pool, receiver, signal }: Run): Promise<void> {
  const [hanging = newId('mrc'), ...others] = merchants
  const rounds = async () => {
    const all: Round[] = []
    for (let round = 0; round < fairRounds; round++) all.push(await load({ ...fair, merchants: others }))
    return all
  }
  const p99s = (all: Round[]) => all.map(({ delaysMs }) => percentile(delaysMs, 0.99))
  const without = p99s(await rounds())
  await addHangingBacklog(pool, { merchant: hanging, url: `${receiver.url}/hang`, size: backlog })
  while (receiver.hanging() < 10) await sleep(50, undefined, { signal })
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
