import { metricsPortOffset, type StackServiceName, stackServiceNames } from '../layout/stack-layout.ts'
import { logFile, stackFiles } from '../layout/stack-paths.ts'
import { checkPorts, choosePorts, type StackPorts } from '../layout/stack-ports.ts'
import { freePort } from '../machine/free-port.ts'
import type { ManagedProcess } from '../machine/managed-process.ts'
import { makePrivateFolder, writePrivateFile } from '../machine/private-files.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { waitForAll } from '../machine/wait-for-all.ts'
import type { Server } from '../servers/server.ts'
import { type DemoData, readDemoData } from '../services/demo-data.ts'
import { loadSecrets } from '../services/secrets.ts'
import { type ServiceProcess, serviceProcess } from '../services/service-process.ts'
import { runServiceCommand, type ServiceProgram } from '../services/service-program.ts'
import { type StackSettings, serviceSettings, serviceUrl } from '../services/service-settings.ts'
import { buildPages } from '../sources/page-builds.ts'
import { recordProcesses } from './orphaned-processes.ts'
import { prepareData } from './stack-data.ts'
import { describeStack, type Stack } from './stack-file.ts'
import { provideBroker, provideDatabase } from './stack-servers.ts'

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
  /** Whether the database has schemas and demo data, and `dir` the matching secrets and seed. */
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

/** The options with defaults, and what the steps of a start share. */
interface Start extends Required<Omit<StackOptions, External>> {
  external: Pick<StackOptions, External>
  /** Every service process, including replicas. A stop drains all of them at the same time. */
  processes: ServiceProcess[]
  /** Records a process, so that it can be stopped if the launcher is killed. */
  onStart: (child: ManagedProcess) => void
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
  return {
    ...{ dir, database, namespace, env, services, prepared, report, onCrash, onStart, onStop },
    external: { portBase, postgresUrl, amqpUrl, rabbitmqApiUrl },
    processes: [],
    signal: AbortSignal.any([failure.signal, ...(signal ? [signal] : [])]),
    abort: error => failure.abort(error),
  }
}

async function startParts(start: Start): Promise<Omit<RunningStack, 'stop'>> {
  const settings = await startServers(start)
  const programs = servicePrograms(start, settings)
  const { prepared, report, external } = start
  const privateServers = !external.postgresUrl && !external.amqpUrl
  if (!prepared) await prepareData({ programs, settings, report, privateServers })
  const demoData = readDemoData(start.dir)
  const processes = await startServices(start, programs)
  const stack = describe(settings, programs, demoData, processes)
  writePrivateFile(stackFiles(start.dir).stack, stack)
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

async function startServers(start: Start): Promise<StackSettings> {
  const { dir, external, database, namespace, report, signal, abort } = start
  const { postgresUrl, amqpUrl, rabbitmqApiUrl: givenApiUrl } = external
  makePrivateFolder(stackFiles(dir).logs)
  const [secrets, ports] = await Promise.all([loadSecrets(dir), choosePorts(external.portBase)])
  const postgresPorts: Record<string, number> = postgresUrl ? {} : { PostgreSQL: ports.postgres }
  const brokerPorts: Record<string, number> = amqpUrl ? {} : rabbitmqPorts(ports.rabbitmq)
  const metricsPorts = Object.entries(ports.services).map(([name, port]) => [
    `${name}’s metrics`,
    port + metricsPortOffset,
  ])
  await checkPorts({ ...ports.services, ...Object.fromEntries(metricsPorts), ...postgresPorts, ...brokerPorts })

  const started: Server[] = []
  start.onStop(() => waitForAll(started.map(server => server.stop())))
  const onStarted = (server: Server) => {
    started.push(server)
    for (const child of server.processes) start.onStart(child)
  }
  if (!postgresUrl || !amqpUrl) report('starting PostgreSQL and RabbitMQ')
  const options = { dir, ports, secrets, report, signal }
  const [databaseUrls, broker] = await waitForAll(
    [
      provideDatabase({ ...options, givenUrl: postgresUrl, database }, onStarted),
      provideBroker({ ...options, givenUrl: amqpUrl, givenApiUrl, namespace }, onStarted),
      buildPages(report),
    ],
    abort,
  )
  signal.throwIfAborted()
  return { dir, secrets, ports: ports.services, database: databaseUrls, broker, namespace }
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
): Promise<Map<StackServiceName, ServiceProcess>> {
  start.signal.throwIfAborted()
  start.report('starting the services')
  const processes = new Map(start.services.map(name => [name, serviceProcess(programs[name], start)]))
  start.processes.push(...processes.values())
  start.onStop(() => waitForAll(start.processes.map(service => service.stop())))
  await waitForAll(
    start.processes.map(service => service.start()),
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
