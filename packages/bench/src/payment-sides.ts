import { httpRequests, webhookAttempts } from '@cobro/contracts'
import { busNames } from '@cobro/contracts/broker'
import type { StackServiceName } from '@cobro/local-stack'
import type { OnStop } from '@cobro/runtime'
import { type BenchRun, type BenchStack, startBenchStack, startServer } from './bench-stack.ts'
import { cobroProcesses, cobroSystem, serverProcesses } from './cobro-system.ts'
import type { CountedMessages } from './count-messages.ts'
import { createFloorTables, readPaymentRows } from './floor/payment-rows.ts'
import { startFloor } from './floor/start-floor.ts'
import type { PaymentSystem } from './payer.ts'
import type { Processes } from './payment-costs.ts'

/** A system whose payments are measured, with its processes and the messages that it publishes. */
export interface Side {
  name: string
  system: PaymentSystem
  own: Processes
  messages: CountedMessages[]
}

/** The stack of a run, and what its two sides share. */
export interface PaymentsRun extends BenchRun {
  bench: BenchStack
  servers: Processes
  receiver: Receiver
}

interface Receiver {
  url: string
  /** How many webhooks were received so far. */
  received: () => number
}

/** Starts Cobro with every service, tracing to a collector that discards the traces. */
export async function startPaymentsRun(
  { signal, onStop }: BenchRun,
  profiled: readonly StackServiceName[] = [],
): Promise<PaymentsRun> {
  const collector = await startServer((request, response) => {
    request.resume()
    request.once('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
  }, onStop)
  // One merchant receives all webhooks, three for each payment, which by default waits from 100 a second on.
  const env = {
    all: { OTEL_EXPORTER_OTLP_ENDPOINT: collector },
    'webhooks-dispatcher': { WEBHOOK_SENDS_PER_SECOND: '10000' },
  }
  const bench = await startBenchStack({ env, profiled }, { signal, onStop })
  return { bench, signal, onStop, servers: await serverProcesses(bench), receiver: await startReceiver(onStop) }
}

async function startReceiver(onStop: OnStop): Promise<Receiver> {
  let received = 0
  const url = await startServer((request, response) => {
    request.resume()
    request.once('end', () => {
      received++
      response.end()
    })
  }, onStop)
  return { url, received: () => received }
}

/** Returns Cobro, with a webhook endpoint for every event. */
export async function cobroSide({ bench, receiver }: PaymentsRun): Promise<Side> {
  const names = busNames('cobro')
  return {
    name: 'Cobro',
    system: await cobroSystem(bench, receiver.url),
    own: cobroProcesses(bench),
    messages: [
      { exchange: names.exchange('events') },
      { exchange: names.exchange('commands') },
      { exchange: names.exchange('calls'), key: httpRequests.name },
      { exchange: names.exchange('webhook-attempts'), key: webhookAttempts.name },
    ],
  }
}

/** Starts the floor on Cobro's servers. Cobro must have completed a payment, whose rows the floor inserts again under other ids. */
export async function floorSide({ bench, receiver, onStop }: PaymentsRun): Promise<Side> {
  const { pool, dir, stack } = bench
  const { rows } = await pool.query(`select id from checkout.checkout_sessions where status = 'completed' limit 1`)
  await createFloorTables(pool)
  const paymentRows = await readPaymentRows(pool, rows[0].id)
  const { postgres_url: postgresUrl, amqp_url: amqpUrl } = stack.stack
  const endpoint = { url: receiver.url, secret: 'secret' }
  const spoolFile = `${dir}/floor.spool`
  const floor = await startFloor({ postgresUrl, amqpUrl, rows: paymentRows, endpoint, spoolFile }, onStop)
  const system: PaymentSystem = {
    url: floor.url,
    headers: {},
    cardKey: floor.cardKey,
    sessions: '/sessions',
    payment: session => ({ path: '/payments', body: { session } }),
  }
  return { name: 'floor', system, own: floor.processes, messages: [{ exchange: 'floor' }] }
}
