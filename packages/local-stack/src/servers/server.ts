import { type ManagedProcess, waitUntilReady } from '../machine/managed-process.ts'

/** A PostgreSQL or RabbitMQ that the launcher started. */
export interface Server {
  url: string
  processes: ManagedProcess[]
  stop: () => Promise<void>
  /** Kills it with SIGKILL. */
  crash: () => Promise<void>
}

/** A RabbitMQ that the launcher started. */
export interface BrokerServer extends Server {
  /** The URL of the management API, with the administrator's login. */
  apiUrl: string
  /** Makes the broker close every client connection, as an operator can. */
  closeConnections: () => Promise<void>
}

/** A PostgreSQL and a RabbitMQ for tests. */
export interface TestServers {
  postgresUrl: string
  amqpUrl: string
  rabbitmqApiUrl: string | undefined
  stop: () => Promise<void>
}

/** Gets a server as soon as its processes run, and then has to stop it, also if it never becomes ready. */
export type OnSpawned = (server: Server) => void

interface Readiness extends Readonly<Parameters<typeof waitUntilReady>[1]> {
  onSpawned?: OnSpawned | undefined
}

/** Returns a server once it is ready. Stops it if that fails, unless `onSpawned` has got it. */
export async function readyServer<S extends Server>(
  server: S,
  child: ManagedProcess,
  { onSpawned, ...options }: Readiness,
): Promise<S> {
  onSpawned?.(server)
  try {
    await waitUntilReady(child, options)
    return server
  } catch (error) {
    if (!onSpawned) await server.stop()
    throw error
  }
}
