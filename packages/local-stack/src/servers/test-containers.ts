import { PostgreSqlContainer } from '@testcontainers/postgresql'
import { GenericContainer, Wait } from 'testcontainers'
import { hasImage } from '../machine/docker-image.ts'
import { waitForAll } from '../machine/wait-for-all.ts'
import type { TestServers } from './server.ts'

const images = { postgres: 'postgres:17', rabbitmq: 'rabbitmq:4-management', reaper: 'testcontainers/ryuk:0.14.0' }

/** Returns whether a Docker daemon runs here and already has the images of both servers. */
export const canRunContainers = async (): Promise<boolean> =>
  (await hasImage(images.postgres)) && (await hasImage(images.rabbitmq))

/** Starts both servers for tests in containers. */
export async function startContainers(password: () => string): Promise<TestServers> {
  // Ryuk, the Testcontainers container that cleans up after a killed run, cannot be pulled everywhere.
  if (!(await hasImage(images.reaper))) process.env.TESTCONTAINERS_RYUK_DISABLED = 'true'
  const [postgres, rabbitmq] = await waitForAll([startPostgres(password()), startRabbitmq(password())])
  return {
    postgresUrl: postgres.url,
    amqpUrl: rabbitmq.url,
    rabbitmqApiUrl: rabbitmq.apiUrl,
    stop: async () => {
      await waitForAll([postgres.container.stop(), rabbitmq.container.stop()])
    },
  }
}

async function startPostgres(password: string) {
  const settings = ['max_connections=300', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
  const container = await new PostgreSqlContainer(images.postgres)
    .withUsername('postgres')
    .withPassword(password)
    .withDatabase('postgres')
    .withCommand(['postgres', ...settings.flatMap(setting => ['-c', setting])])
    .start()
  return { container, url: container.getConnectionUri() }
}

async function startRabbitmq(password: string) {
  const container = await new GenericContainer(images.rabbitmq)
    .withEnvironment({ RABBITMQ_DEFAULT_USER: 'cobro', RABBITMQ_DEFAULT_PASS: password })
    .withExposedPorts(5672, 15_672)
    .withWaitStrategy(Wait.forLogMessage('Server startup complete'))
    .start()
  const at = (port: number) => `cobro:${password}@${container.getHost()}:${container.getMappedPort(port)}`
  return { container, url: `amqp://${at(5672)}`, apiUrl: `http://${at(15_672)}` }
}
