import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, type Message, newId, type ServiceName } from '@cobro/contracts'
import type { ExchangeName } from '@cobro/contracts/broker'
import { identitySigner, internalHeaders } from '@cobro/http'
import { type RunningStack, type StackOptions, type StackServiceName, startStack } from '@cobro/local-stack'
import { openPublisher, type Publisher } from '@cobro/messaging'
import { createLogger, type OnStop } from '@cobro/runtime'
import { Pool } from 'pg'

/** The servers and services of a benchmark, and how it reaches them. */
export interface BenchStack {
  dir: string
  stack: RunningStack
  pool: Pool
  /** The private keys of the stack, as JWKs. */
  secrets: { internal_signing_key: object; audit_signing_key: object }
  /** Returns headers that identify a caller to a service as the gateway does; valid for 30 s. */
  identify: (caller: Caller, service: ServiceName) => Promise<Record<string, string>>
}

/** How a benchmark is interrupted, and what it registers to be stopped at its end. */
export interface BenchRun {
  signal: AbortSignal
  onStop: OnStop
}

interface Wanted {
  /** By default all. */
  services?: readonly StackServiceName[]
  env?: StackOptions['env']
  /** The services that write a CPU profile when they end, for `reportProfile`. */
  profiled?: readonly StackServiceName[]
  /** The number of database connections that the benchmark itself may open. */
  connections?: number
}

/** Runs `work`, and then what it registered with `onStop`, in reverse order. */
export async function withCleanup(work: (onStop: OnStop) => Promise<void>): Promise<void> {
  const stops: Parameters<OnStop>[0][] = []
  try {
    await work(stop => stops.push(stop))
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** Starts new servers, a new database and new services. */
export async function startBenchStack(wanted: Wanted, { signal, onStop }: BenchRun): Promise<BenchStack> {
  const { services, env = {}, profiled = [], connections = 2 } = wanted
  const dir = await mkdtemp(join(tmpdir(), 'cobro-bench-'))
  onStop(() => rm(dir, { recursive: true, force: true }))
  const settings: typeof env = { ...env, all: { LOG_LEVEL: 'warn', ...env.all } }
  for (const service of profiled)
    settings[service] = { ...env[service], NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDirectory(dir, service)}` }
  const stack = await startStack({ dir, ...(services ? { services } : {}), env: settings, report: print, signal })
  onStop(stack.stop)
  const pool = new Pool({ connectionString: stack.stack.postgres_url, max: connections })
  // Its end does not wait until the server has closed the connections.
  pool.on('error', () => undefined)
  onStop(() => pool.end())
  const secrets = JSON.parse(await readFile(join(dir, 'secrets.json'), 'utf8'))
  const sign = await identitySigner(secrets.internal_signing_key)
  const identify: BenchStack['identify'] = async (caller, service) => ({
    [internalHeaders.identity]: await sign(caller, service),
    [internalHeaders.requestId]: newId('req'),
  })
  return { dir, stack, pool, secrets, identify }
}

/** Returns where a profiled service writes its profiles, in the directory of its stack. */
export const profileDirectory = (dir: string, service: StackServiceName) => join(dir, 'profiles', service)

/** Opens a publisher to the broker of a stack, and waits until it is connected. */
export async function connectPublisher({ stack }: BenchStack, onStop: OnStop): Promise<Publisher> {
  const logger = createLogger('bench', 'warn')
  const publisher = openPublisher({ url: stack.stack.amqp_url, namespace: 'cobro', logger })
  onStop(publisher.close)
  while (!publisher.connected()) await sleep(20)
  return publisher
}

/** Publishes new messages concurrently. */
export async function publishMany(publisher: Publisher, exchange: ExchangeName, messages: readonly Message[]) {
  const bodyOf = (message: Message) => Buffer.from(JSON.stringify(message))
  await Promise.all(messages.map(one => publisher.publish(exchange, one.name, { id: one.id, body: bodyOf(one) })))
}

/** Starts an HTTP server on loopback and returns its URL. Its stop closes open connections. */
export async function startServer(handler: RequestListener, onStop: OnStop): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onStop(() => {
    server.closeAllConnections()
    return server[Symbol.asyncDispose]()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const print = (line: string) => void process.stdout.write(`${line}\n`)
