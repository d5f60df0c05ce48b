import type { ReportProgress } from '../machine/progress.ts'

/** What a private RabbitMQ is started with. */
export interface RabbitmqOptions {
  /** The server's data, home, configuration and Erlang cookie. */
  dir: string
  logFile: string
  ports: { amqp: number; node: number; epmd: number }
  password: string
  report: ReportProgress
  signal?: AbortSignal | undefined
}

/** The arguments of `rabbitmqctl`. */
export const closeAllConnections = ['close_all_connections', 'closed by its operator']
