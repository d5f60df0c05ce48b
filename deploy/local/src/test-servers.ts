import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { removePostgresData, startPostgres } from './postgres-server.ts'
import { startRabbitmq } from './rabbitmq-server.ts'
import type { Report } from './report.ts'

/** A PostgreSQL and a RabbitMQ that tests may do anything with. */
export interface TestServers {
  postgresUrl: string
  amqpUrl: string
  stop: () => Promise<void>
}

/** Private servers on free ports, with their data in a temporary folder that goes away with them. */
export async function startPrivateServers(report: Report): Promise<TestServers> {
  const dir = await mkdtemp(join(tmpdir(), 'cobro-test-'))
  const dataDir = join(dir, 'postgres')
  const password = () => randomBytes(18).toString('base64url')
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    await Promise.all(stops.map(stopServer => stopServer()))
    await removePostgresData(dataDir)
    await rm(dir, { recursive: true, force: true })
  }
  const starting = [
    startPostgres({
      dataDir,
      logFile: join(dir, 'postgres.log'),
      port: await freePort(),
      password: password(),
      durable: false,
      report,
    }),
    startRabbitmq({
      dir: join(dir, 'rabbitmq'),
      logFile: join(dir, 'rabbitmq.log'),
      ports: { amqp: await freePort(), node: await freePort(), epmd: await freePort() },
      password: password(),
      report,
    }),
  ] as const
  const settled = await Promise.allSettled(starting)
  for (const server of settled) if (server.status === 'fulfilled') stops.push(server.value.stop)
  const [postgres, rabbitmq] = settled
  if (postgres.status === 'rejected' || rabbitmq.status === 'rejected') {
    await stop()
    throw [postgres, rabbitmq].find(server => server.status === 'rejected')?.reason
  }
  return { postgresUrl: postgres.value.url, amqpUrl: rabbitmq.value.url, stop }
}
