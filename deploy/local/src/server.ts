import type { Child } from './child.ts'

/** A PostgreSQL or RabbitMQ that was started by us. */
export interface Server {
  url: string
  processes: Child[]
  stop: () => Promise<void>
}
