import type { Child } from './child.ts'

/** A PostgreSQL or RabbitMQ that was started by us. */
export interface Server {
  url: string
  processes: Child[]
  stop: () => Promise<void>
  /** Ends it without warning. */
  crash: () => Promise<void>
}

/** A RabbitMQ that was started by us. */
export interface BrokerServer extends Server {
  /** Has the broker close every connection, as an operator may. */
  closeConnections: () => Promise<void>
}
