import type { ReportProgress } from '../machine/progress.ts'

/** What a private RabbitMQ is started with. */
export interface RabbitmqOptions {
  /** Directory for the server's data, home, configuration and Erlang cookie. */
  dir: string
  logFile: string
  ports: { amqp: number; node: number; epmd: number }
  password: string
  report: ReportProgress
  signal?: AbortSignal | undefined
}

/** Arguments of `rabbitmqctl` that close every connection. */
export const closeAllConnections = ['close_all_connections', 'closed by its operator']
