import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePorts } from '../layout/stack-ports.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { waitForAll } from '../machine/wait-for-all.ts'
import { removePostgresData, startPostgres } from './postgres-server.ts'
import type { Server, TestServers } from './server.ts'
import { startRabbitmq } from './start-rabbitmq.ts'
import { canRunContainers, startContainers } from './test-containers.ts'

/** Returns the servers in TEST_POSTGRES_URL and TEST_AMQP_URL, or else starts containers, or else private servers. */
export async function startTestServers(report: ReportProgress, signal: AbortSignal): Promise<TestServers> {
  const { TEST_POSTGRES_URL: postgresUrl, TEST_AMQP_URL: amqpUrl } = process.env
  if (postgresUrl && amqpUrl) return { postgresUrl, amqpUrl, stop: async () => {} }
  const password = () => randomBytes(18).toString('base64url')
  if (await canRunContainers()) {
    report('starting PostgreSQL and RabbitMQ for the tests in containers')
    return startContainers(password)
  }
  report('starting PostgreSQL and RabbitMQ for the tests')
  return startPrivateServers(password, report, signal)
}

/** Starts servers on free ports, with their data in a temporary directory that `stop` deletes. */
async function startPrivateServers(
  password: () => string,
  report: ReportProgress,
  signal: AbortSignal,
): Promise<TestServers> {
  const dir = await mkdtemp(join(tmpdir(), 'cobro-test-'))
  const dataDir = join(dir, 'postgres')
  const ports = await choosePorts(undefined)
  const starting = [
    startPostgres({
      dataDir,
      logFile: join(dir, 'postgres.log'),
      port: ports.postgres,
      password: password(),
      durable: false,
      report,
      signal,
    }),
    startRabbitmq({
      dir: join(dir, 'rabbitmq'),
      logFile: join(dir, 'rabbitmq.log'),
      ports: ports.rabbitmq,
      password: password(),
      report,
      signal,
    }),
  ] as const
  const stop = async () => {
    const settled = await Promise.allSettled(starting)
    const servers: Server[] = settled.flatMap(server => (server.status === 'fulfilled' ? [server.value] : []))
    await waitForAll(servers.map(server => server.stop()))
    await removePostgresData(dataDir)
    await rm(dir, { recursive: true, force: true })
  }
  try {
    const [postgres, rabbitmq] = await waitForAll(starting)
    return { postgresUrl: postgres.url, amqpUrl: rabbitmq.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
