import { randomBytes } from 'node:crypto'
import type { ReportProgress } from '../machine/progress.ts'
import { defaultApiUrl } from './broker-logins.ts'
import { startDedicatedServers } from './dedicated-servers.ts'
import type { TestServers } from './server.ts'
import { canRunContainers, startContainers } from './test-containers.ts'

/**
 * Returns TEST_POSTGRES_URL and TEST_AMQP_URL, or else starts containers or private servers. With
 * `inMemory`, private servers keep their data in memory if there is room.
 */
export async function startTestServers(options: {
  inMemory: boolean
  report: ReportProgress
  signal: AbortSignal
}): Promise<TestServers> {
  const { report } = options
  const { TEST_POSTGRES_URL: postgresUrl, TEST_AMQP_URL: amqpUrl, TEST_RABBITMQ_API_URL: apiUrl } = process.env
  if (postgresUrl && amqpUrl) {
    const rabbitmqApiUrl = apiUrl || defaultApiUrl(amqpUrl)
    return { postgresUrl, amqpUrl, rabbitmqApiUrl, stop: async () => {} }
  }
  if (await canRunContainers()) {
    report('starting PostgreSQL and RabbitMQ for the tests in containers')
    return startContainers(() => randomBytes(18).toString('base64url'))
  }
  report('starting PostgreSQL and RabbitMQ for the tests')
  const { postgres, rabbitmq, close } = await startDedicatedServers({ ...options, durable: false })
  return { postgresUrl: postgres.url, amqpUrl: rabbitmq.url, rabbitmqApiUrl: rabbitmq.running().apiUrl, stop: close }
}
