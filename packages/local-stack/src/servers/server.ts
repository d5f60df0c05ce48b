import type { ManagedProcess } from '../machine/managed-process.ts'

/** A PostgreSQL or RabbitMQ that was started by us. */
export interface Server {
  url: string
  processes: ManagedProcess[]
  stop: () => Promise<void>
  /** Ends it without warning. */
  crash: () => Promise<void>
}

/** A RabbitMQ that was started by us. */
export interface BrokerServer extends Server {
  /** Has the broker close every connection, as an operator may. */
  closeConnections: () => Promise<void>
}

/** A PostgreSQL and a RabbitMQ that tests may do anything with. */
export interface TestServers {
  postgresUrl: string
  amqpUrl: string
  stop: () => Promise<void>
}
