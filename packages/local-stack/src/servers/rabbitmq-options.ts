import type { ManagedProcess } from '../machine/managed-process.ts'
import type { ReportProgress } from '../machine/progress.ts'
import type { CommandResult } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'
import { speaksAmqp } from './amqp-probe.ts'
import { acceptsAdministrator } from './broker-logins.ts'
import { type BrokerServer, type OnSpawned, readyServer, type Server } from './server.ts'

/** What a private RabbitMQ is started with. */
export interface RabbitmqOptions {
  /** Directory for the server's data, home, configuration and Erlang cookie. */
  dir: string
  logFile: string
  ports: { amqp: number; node: number; epmd: number; api: number }
  password: string
  report: ReportProgress
  signal?: AbortSignal | undefined
  onSpawned?: OnSpawned
}

type Broker = Pick<Server, 'processes' | 'stop' | 'crash'> & {
  /** Runs `rabbitmqctl` with these arguments. */
  control: (args: string[]) => Promise<CommandResult>
}

/** Returns the administrator's URL of a private RabbitMQ, which may not run yet. */
export const privateAmqpUrl = (port: number, password: string) => `amqp://cobro:${password}@127.0.0.1:${port}`

/** Returns a broker once it is ready. `child` is its process. */
export function readyBroker(
  { ports, password, logFile, signal, onSpawned }: RabbitmqOptions,
  { control, ...server }: Broker,
  child: ManagedProcess,
): Promise<BrokerServer> {
  const closeConnections = async () => {
    const closed = await control(['close_all_connections', 'closed by its operator'])
    if (!closed.ok) throw userError(`RabbitMQ could not close its connections: ${closed.stderr.trim()}`)
  }
  const url = privateAmqpUrl(ports.amqp, password)
  const apiUrl = `http://cobro:${password}@127.0.0.1:${ports.api}`
  const isReady = async () => (await speaksAmqp(ports.amqp)) && acceptsAdministrator(apiUrl)
  return readyServer({ ...server, url, apiUrl, closeConnections }, child, { isReady, logFile, signal, onSpawned })
}
