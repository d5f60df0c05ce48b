import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePorts } from '../layout/stack-ports.ts'
import { memoryDirectory } from '../machine/memory-directory.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { waitForAll } from '../machine/wait-for-all.ts'
import { removePostgresData, startPostgres } from './postgres-server.ts'
import { removeRabbitmqVolume } from './rabbitmq-container.ts'
import type { Server } from './server.ts'
import { startRabbitmq } from './start-rabbitmq.ts'

/** A server that a test can stop and start again, with the same URL and data. */
export interface DedicatedServer<S extends Server = Server> {
  url: string
  running: () => S
  stop: () => Promise<void>
  /** Kills it with SIGKILL. */
  crash: () => Promise<void>
  /** Starts it again. Resolves when it accepts connections. */
  start: () => Promise<void>
}

/** Starts servers on free ports for tests that stop or crash them. `close` deletes their data. */
export async function startDedicatedServers(
  options: { durable?: boolean; inMemory?: boolean; report?: ReportProgress; signal?: AbortSignal } = {},
) {
  const { durable = true, inMemory = false, report = () => {}, signal } = options
  const parent = (inMemory ? memoryDirectory() : undefined) ?? tmpdir()
  const dir = await mkdtemp(join(parent, 'cobro-dedicated-servers-'))
  const ports = await choosePorts(undefined)
  const password = randomBytes(18).toString('base64url')
  const dataDir = join(dir, 'postgres')
  const common = { password, report, signal }
  const postgres = dedicatedServer(() =>
    startPostgres({ ...common, dataDir, logFile: join(dir, 'postgres.log'), port: ports.postgres, durable, inMemory }),
  )
  const brokerDir = join(dir, 'rabbitmq')
  const rabbitmq = dedicatedServer(() =>
    startRabbitmq({ ...common, dir: brokerDir, logFile: join(dir, 'rabbitmq.log'), ports: ports.rabbitmq }),
  )
  const close = async () => {
    const servers = await Promise.allSettled([postgres, rabbitmq])
    await waitForAll(servers.map(async server => server.status === 'fulfilled' && server.value.stop()))
    await removePostgresData(dataDir)
    await removeRabbitmqVolume(brokerDir)
    await rm(dir, { recursive: true, force: true })
  }
  try {
    const [database, broker] = await waitForAll([postgres, rabbitmq])
    return { postgres: database, rabbitmq: broker, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function dedicatedServer<S extends Server>(launch: () => Promise<S>): Promise<DedicatedServer<S>> {
  let server = await launch()
  return {
    url: server.url,
    running: () => server,
    stop: () => server.stop(),
    crash: () => server.crash(),
    start: async () => {
      server = await launch()
    },
  }
}
