import { availableParallelism } from 'node:os'
import { queueNames, queues } from '@cobro/contracts/broker'
import pLimit from 'p-limit'
import { metricsPortOffset, type StackServiceName, stackServiceNames } from '../layout/stack-layout.ts'
import { logFile, stackFiles } from '../layout/stack-paths.ts'
import { checkPorts, choosePorts, type StackPorts } from '../layout/stack-ports.ts'
import { freePort } from '../machine/free-port.ts'
import type { ManagedProcess } from '../machine/managed-process.ts'
import { makePrivateFolder, writePrivateFile } from '../machine/private-files.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { UserError } from '../machine/user-error.ts'
import { waitForAll } from '../machine/wait-for-all.ts'
import { type BrokerUrls, brokerUrls } from '../servers/broker-logins.ts'
import { untilConsumed } from '../servers/consumed-queues.ts'
import { privateAmqpUrl } from '../servers/rabbitmq-options.ts'
import type { OnSpawned, Server } from '../servers/server.ts'
import { type DemoData, readDemoData } from '../services/demo-data.ts'
import { loadSecrets } from '../services/secrets.ts'
import { type ServiceProcess, serviceProcess } from '../services/service-process.ts'
import { runServiceCommand, type ServiceProgram } from '../services/service-program.ts'
import { type StackSettings, serviceSettings, serviceUrl } from '../services/service-settings.ts'
import { buildPages } from '../sources/page-builds.ts'
import { recordProcesses } from './orphaned-processes.ts'
import { forgetPreparedData, prepareData } from './stack-data.ts'
import { describeStack, type Stack } from './stack-file.ts'
import { provideBroker, provideDatabase, type ServerOptions } from './stack-servers.ts'

/** Options of a stack. */
export interface StackOptions {
  /** Directory for its data, secrets and logs. */
  dir: string
  /** The gateway's port. The other ports are offsets from it. By default all are free ports. */
  portBase?: number
  /** Administrator URL of a running PostgreSQL. By default the stack starts its own. */
  postgresUrl?: string
  /** URL of a running RabbitMQ. By default the stack starts its own. */
  amqpUrl?: string
  /** URL of that RabbitMQ's management API, with an administrator's login. */
  rabbitmqApiUrl?: string
  /** Names of the database and broker namespace. Stacks that share servers need different ones. */
  database?: string
  namespace?: string
  /** Settings that override the defaults, for one service or for all of them. */
  env?: Partial<Record<StackServiceName | 'all', Record<string, string>>>
  /** The services to start. The migrations of all services run. */
  services?: readonly StackServiceName[]
  /** Whether the database has schemas and demo data, the broker the queues, and `dir` the matching secrets and seed. */
  prepared?: boolean
  report?: ReportProgress
  /** Aborting stops a start in progress, and everything that it has started. */
  signal?: AbortSignal
  /** Called when a service exits that was not stopped or killed through its handle. */
  onCrash?: (name: StackServiceName, exitReason: string) => void
}

/** An additional process of a service. */
export interface Replica extends ServiceProcess {
  url: string
}

/** A running stack. */
export interface RunningStack {
  readonly stack: Stack
  process: (name: StackServiceName) => ServiceProcess
  /** Starts a replica whose consumers and scheduled jobs work; calls go to the first process. */
  replica: (name: StackServiceName) => Promise<Replica>
  /** Runs one of a service's commands and returns its output. */
  command: (name: StackServiceName, ...command: string[]) => Promise<string>
  stop: () => Promise<void>
}

type External = 'portBase' | 'postgresUrl' | 'amqpUrl' | 'rabbitmqApiUrl'

/** Where the parts of a stack listen, and what its servers are started with. */
interface Layout extends ServerOptions {
  namespace: string
}

/** The options with defaults, and what the steps of a start share. */
interface Start extends Required<Omit<StackOptions, External>> {
  external: Pick<StackOptions, External>
  /** Every service process, including replicas. A stop drains all of them at the same time. */
  processes: ServiceProcess[]
  /** Records a process, so that it can be stopped if the launcher is killed. */
  onStart: (child: ManagedProcess) => void
  /** Records a server's processes, and stops the server with the stack. */
  onSpawned: OnSpawned
  /** Registers a cleanup. Cleanups run in reverse order. */
  onStop: (stop: () => Promise<unknown>) => void
  /** Aborts all steps because one of them has failed. */
  abort: (error: unknown) => void
}

/** Starts servers and services in `dir`, migrates, adds demo data and waits until all are ready. */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart()
  }
  try {
    return { ...(await startParts(withDefaults(options, stopPart => stops.push(stopPart)))), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function withDefaults(options: StackOptions, onStop: Start['onStop']): Start {
  const { dir, database = 'cobro', namespace = 'cobro', env = {}, services = stackServiceNames, signal } = options
  const { prepared = false, report = () => {}, onCrash = () => {} } = options
  const { portBase, postgresUrl, amqpUrl, rabbitmqApiUrl } = options
  const failure = new AbortController()
  const children: ManagedProcess[] = []
  const onStart = (child: ManagedProcess) => {
    children.push(child)
    recordProcesses(dir, children)
  }
  const servers: Server[] = []
  onStop(() => waitForAll(servers.map(server => server.stop())))
  const onSpawned = (server: Server) => {
    servers.push(server)
    for (const child of server.processes) onStart(child)
  }
  return {
    ...{ dir, database, namespace, env, services, prepared, report, onCrash, onStart, onSpawned, onStop },
    external: { portBase, postgresUrl, amqpUrl, rabbitmqApiUrl },
    processes: [],
    signal: AbortSignal.any([failure.signal, ...(signal ? [signal] : [])]),
    abort: error => failure.abort(error),
  }
}

async function startParts(start: Start): Promise<Omit<RunningStack, 'stop'>> {
  const { dir, external, namespace, report, signal } = start
  const layout = await chooseLayout(start)
  const broker = provideBroker(
    { ...layout, givenUrl: external.amqpUrl, givenApiUrl: external.rabbitmqApiUrl },
    start.onSpawned,
  )
  const [{ adminUrl: amqpUrl }, running] = await waitForAll(
    [broker, startOnDatabase(start, layout, broker)],
    start.abort,
  )
  const consumed = queueNames.filter(name => start.services.includes(queues[name].service))
  try {
    await untilConsumed({ amqpUrl, namespace, queues: consumed, report, signal })
  } catch (error) {
    if (error instanceof UserError) await forgetPreparedData(dir)
    throw error
  }
  writePrivateFile(stackFiles(dir).stack, running.stack)
  return running
}

async function chooseLayout({ dir, external, namespace, report, signal }: Start): Promise<Layout> {
  const { portBase, postgresUrl, amqpUrl } = external
  makePrivateFolder(stackFiles(dir).logs)
  const [secrets, ports] = await Promise.all([loadSecrets(dir), choosePorts(portBase)])
  const postgresPorts: Record<string, number> = postgresUrl ? {} : { PostgreSQL: ports.postgres }
  const brokerPorts: Record<string, number> = amqpUrl ? {} : rabbitmqPorts(ports.rabbitmq)
  const metricsPorts = Object.entries(ports.services).map(([name, port]) => [
    `${name}’s metrics`,
    port + metricsPortOffset,
  ])
  await checkPorts({ ...ports.services, ...Object.fromEntries(metricsPorts), ...postgresPorts, ...brokerPorts })
  if (!postgresUrl || !amqpUrl) report('starting PostgreSQL and RabbitMQ')
  return { dir, ports, secrets, namespace, report, signal }
}

/**
 * Starts the services once their database is ready, while a private broker still starts: services
 * wait for their broker themselves. Only the preparation of new data waits for it.
 */
async function startOnDatabase(
  start: Start,
  layout: Layout,
  broker: Promise<BrokerUrls>,
): Promise<Omit<RunningStack, 'stop'>> {
  const { prepared, report, external } = start
  const { dir, ports, secrets, namespace, signal } = layout
  const [database] = await waitForAll(
    [
      provideDatabase({ ...layout, givenUrl: external.postgresUrl, database: start.database }, start.onSpawned),
      buildPages(report),
    ],
    start.abort,
  )
  signal.throwIfAborted()
  const privateBrokerUrl = privateAmqpUrl(ports.rabbitmq.amqp, secrets.amqp_password)
  const brokerOfServices = external.amqpUrl ? await broker : brokerUrls(privateBrokerUrl, namespace)
  const settings = { dir, secrets, ports: ports.services, database, broker: brokerOfServices, namespace }
  const programs = servicePrograms(start, settings)
  const privateServers = !external.postgresUrl && !external.amqpUrl
  if (!prepared) await prepareData({ programs, settings, report, privateServers, brokerIsReady: broker })
  const demoData = readDemoData(dir)
  const processes = await startServices(start, programs, broker)
  const stack = describe(settings, programs, demoData, processes)
  const getProcess = (name: StackServiceName) => {
    const service = processes.get(name)
    if (!service) throw new Error(`This stack was started without ${name}.`)
    return service
  }
  return {
    stack,
    process: getProcess,
    replica: name => startReplica(start, programs[name]),
    command: (name, ...command) => runServiceCommand(programs[name], command),
  }
}

async function startReplica(start: Start, program: ServiceProgram): Promise<Replica> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { SPOOL_DIR } = program.env
  const env = {
    ...program.env,
    PORT: String(port),
    OTEL_EXPORTER_PROMETHEUS_PORT: String(await freePort()),
    // Each process needs its own spool.
    ...(SPOOL_DIR ? { SPOOL_DIR: `${SPOOL_DIR}-${port}` } : {}),
  }
  const replica = serviceProcess({ ...program, env, url }, start)
  start.processes.push(replica)
  await replica.start()
  return Object.assign(replica, { url })
}

async function startServices(
  start: Start,
  programs: Record<StackServiceName, ServiceProgram>,
  broker: Promise<unknown>,
): Promise<Map<StackServiceName, ServiceProcess>> {
  start.signal.throwIfAborted()
  // Leaves one processor to RabbitMQ, which uses one while it starts and takes the longest.
  const limit = pLimit(Math.max(1, availableParallelism() - 1))
  const liftLimit = () => {
    limit.concurrency = Number.POSITIVE_INFINITY
  }
  broker.then(liftLimit, () => undefined)
  start.report('starting the services')
  const processes = new Map(start.services.map(name => [name, serviceProcess(programs[name], start)]))
  start.processes.push(...processes.values())
  start.onStop(() => waitForAll(start.processes.map(service => service.stop())))
  await waitForAll(
    start.processes.map(service => limit(service.start)),
    start.abort,
  )
  return processes
}

const rabbitmqPorts = ({ amqp, node, epmd, api }: StackPorts['rabbitmq']) => ({
  RabbitMQ: amqp,
  'RabbitMQ’s node': node,
  'RabbitMQ’s port mapper': epmd,
  'RabbitMQ’s management API': api,
})

function servicePrograms({ env }: Start, settings: StackSettings): Record<StackServiceName, ServiceProgram> {
  const program = (name: StackServiceName): ServiceProgram => ({
    name,
    env: { ...serviceSettings(name, settings), ...env.all, ...env[name] },
    logFile: logFile(settings.dir, name),
    url: serviceUrl(settings.ports, name),
  })
  return Object.fromEntries(stackServiceNames.map(name => [name, program(name)])) as Record<
    StackServiceName,
    ServiceProgram
  >
}

function describe(
  { database, broker, ports }: StackSettings,
  programs: Record<StackServiceName, ServiceProgram>,
  demoData: DemoData,
  processes: Map<StackServiceName, ServiceProcess>,
): Stack {
  const services = [...processes].map(([name, { pid }]) => {
    const { url, logFile: log } = programs[name]
    const metrics_url = `http://127.0.0.1:${ports[name] + metricsPortOffset}/metrics`
    return [name, { pid, port: ports[name], url, metrics_url, log }]
  })
  return describeStack({
    gatewayUrl: programs.gateway.url,
    acquirerUrl: programs['acquirer-sandbox'].url,
    demoData,
    postgresUrl: database.adminUrl,
    amqpUrl: broker.adminUrl,
    opsAmqpUrl: broker.url('ops'),
    webhooks: programs['webhooks-dispatcher'].env,
    services: Object.fromEntries(services),
  })
}
