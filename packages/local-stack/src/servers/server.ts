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

/** Returns a server once it is ready. Stops it if that fails. */
export async function readyServer<S extends Server>(
  server: S,
  child: ManagedProcess,
  options: Parameters<typeof waitUntilReady>[1],
): Promise<S> {
  try {
    await waitUntilReady(child, options)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}
