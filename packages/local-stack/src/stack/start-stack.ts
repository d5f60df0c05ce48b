import { metricsPortOffset, type StackServiceName, stackServiceNames } from '../layout/stack-layout.ts'
import { logFile, stackFiles } from '../layout/stack-paths.ts'
import { checkPorts, choosePorts } from '../layout/stack-ports.ts'
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
import { buildHostedPage } from '../sources/hosted-page-build.ts'
import { recordProcesses } from './orphaned-processes.ts'
import { prepareData } from './stack-data.ts'
import { describeStack, type Stack } from './stack-file.ts'
import { provideBroker, provideDatabase } from './stack-servers.ts'

/** What a stack is made of. Everything has a default but the folder that keeps its data, secrets and logs. */
export interface StackOptions {
  dir: string
  /** The gateway's port, from which the others are counted. Without it all ports are free ones. */
  portBase?: number
  /** An administrator's address of a PostgreSQL that is there already. */
  postgresUrl?: string
  /** The address of a RabbitMQ that is there already. */
  amqpUrl?: string
  /** The database, and the prefix of what is declared on the broker: stacks that share servers need their own. */
  database?: string
  namespace?: string
  /** Settings that go over the usual ones: of one service, or of all of them. */
  env?: Partial<Record<StackServiceName | 'all', Record<string, string>>>
  /** The services to start; all are migrated. */
  services?: readonly StackServiceName[]
  /** Whether the database is a copy of one that has its data already, and the folder has the secrets and the seed that go with it. */
  prepared?: boolean
  report?: ReportProgress
  /** Aborting ends a start that is under way, and stops what it had started. */
  signal?: AbortSignal
  /** Called when a service ends that nobody stopped. */
  onCrash?: (name: StackServiceName, ending: string) => void
}

/** One more process of a service, and where it listens. */
export interface Replica extends ServiceProcess {
  url: string
}

/** A running stack of real processes. */
export interface RunningStack {
  readonly stack: Stack
  process: (name: StackServiceName) => ServiceProcess
  /** Starts one more replica of a service, beside those that run. Calls still go to the first; its clocks and consumers work. */
  replica: (name: StackServiceName) => Promise<Replica>
  /** Runs one of a service's commands to its end, and gives what it printed. */
  command: (name: StackServiceName, ...command: string[]) => Promise<string>
  stop: () => Promise<void>
}

/** The options with their defaults, and what the steps of a start share. */
interface Start extends Required<Omit<StackOptions, 'portBase' | 'postgresUrl' | 'amqpUrl'>> {
  given: Pick<StackOptions, 'portBase' | 'postgresUrl' | 'amqpUrl'>
  /** Writes down a process, for the day on which the launcher is killed. */
  onStart: (child: ManagedProcess) => void
  /** Registers what undoes a step; the last is undone first. */
  onStop: (stop: () => Promise<unknown>) => void
  /** Ends the waiting of all steps, because one of them has failed. */
  cut: (error: unknown) => void
}

/** Starts servers, database, services and demo data, in a folder of its own, and waits until all are ready. */
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
  const { prepared = false, report = () => {}, onCrash = () => {}, portBase, postgresUrl, amqpUrl } = options
  const failing = new AbortController()
  const children: ManagedProcess[] = []
  const onStart = (child: ManagedProcess) => {
    children.push(child)
    recordProcesses(dir, children)
  }
  return {
    ...{ dir, database, namespace, env, services, prepared, report, onCrash, onStart, onStop },
    given: { portBase, postgresUrl, amqpUrl },
    signal: AbortSignal.any([failing.signal, ...(signal ? [signal] : [])]),
    cut: error => failing.abort(error),
  }
}

async function startParts(start: Start): Promise<Omit<RunningStack, 'stop'>> {
  const settings = await startServers(start)
  const programs = servicePrograms(start, settings)
  const { prepared, report, given } = start
  const privateServers = !given.postgresUrl && !given.amqpUrl
  if (!prepared) await prepareData({ programs, settings, report, privateServers })
  const seeded = readDemoData(start.dir)
  const processes = await startServices(start, programs)
  const stack = describe(settings, programs, seeded, processes)
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
  const { dir, given, database, namespace, report, signal, cut } = start
  const { postgresUrl, amqpUrl } = given
  makePrivateFolder(stackFiles(dir).logs)
  const [secrets, ports] = await Promise.all([loadSecrets(dir), choosePorts(given.portBase)])
  const ofPostgres: Record<string, number> = postgresUrl ? {} : { PostgreSQL: ports.postgres }
  const ofRabbitmq: Record<string, number> = amqpUrl ? {} : rabbitmqPorts(ports.rabbitmq)
  const ofMetrics = Object.entries(ports.services).map(([name, port]) => [
    `${name}’s figures`,
    port + metricsPortOffset,
  ])
  await checkPorts({ ...ports.services, ...Object.fromEntries(ofMetrics), ...ofPostgres, ...ofRabbitmq })

  const started: Server[] = []
  start.onStop(() => waitForAll(started.map(server => server.stop())))
  const onStarted = (server: Server) => {
    started.push(server)
    for (const child of server.processes) start.onStart(child)
  }
  if (!postgresUrl || !amqpUrl) report('starting the servers')
  const options = { dir, ports, secrets, report, signal }
  const [addresses, brokerUrl] = await waitForAll(
    [
      provideDatabase({ ...options, givenUrl: postgresUrl, database }, onStarted),
      provideBroker({ ...options, givenUrl: amqpUrl }, onStarted),
      buildHostedPage(report),
    ],
    cut,
  )
  signal.throwIfAborted()
  return { dir, secrets, ports: ports.services, database: addresses, amqpUrl: brokerUrl, namespace }
}

async function startReplica(start: Start, program: ServiceProgram): Promise<Replica> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { SPOOL_DIR } = program.env
  const env = {
    ...program.env,
    PORT: String(port),
    OTEL_EXPORTER_PROMETHEUS_PORT: String(await freePort()),
    // A spool belongs to one process.
    ...(SPOOL_DIR ? { SPOOL_DIR: `${SPOOL_DIR}-${port}` } : {}),
  }
  const replica = serviceProcess({ ...program, env, url }, start)
  start.onStop(() => replica.stop())
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
  const all = [...processes.values()]
  start.onStop(() => waitForAll(all.map(service => service.stop())))
  await waitForAll(
    all.map(service => service.start()),
    start.cut,
  )
  return processes
}

const rabbitmqPorts = ({ amqp, node, epmd }: { amqp: number; node: number; epmd: number }) => ({
  RabbitMQ: amqp,
  'RabbitMQ’s node': node,
  'RabbitMQ’s port mapper': epmd,
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
  { database, amqpUrl, ports }: StackSettings,
  programs: Record<StackServiceName, ServiceProgram>,
  seeded: DemoData,
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
    seeded,
    postgresUrl: database.adminUrl,
    amqpUrl,
    webhooks: programs['webhooks-dispatcher'].env,
    services: Object.fromEntries(services),
  })
}
