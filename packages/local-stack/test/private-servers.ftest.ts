import { existsSync, statfsSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { freePort, isPortFree } from '../src/machine/free-port.ts'
import { waitUntilReady } from '../src/machine/managed-process.ts'
import { isRunning } from '../src/machine/process-identity.ts'
import { speaksAmqp } from '../src/servers/amqp-probe.ts'
import { startDedicatedServers } from '../src/servers/dedicated-servers.ts'
import { removePostgresData, startPostgres } from '../src/servers/postgres-server.ts'
import { startRabbitmq } from '../src/servers/start-rabbitmq.ts'

let dir: string
const report = () => {}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cobro-servers-'))
})

afterAll(() => rm(dir, { recursive: true }))

test('a private PostgreSQL keeps its data after a restart, requires the password, rejects data of another version, and leaves no process after its stop', async () => {
  const dataDir = join(dir, 'postgres')
  const port = await freePort()
  const options = {
    dataDir,
    logFile: join(dir, 'postgres.log'),
    port,
    password: 'one-password',
    durable: false,
    report,
  }
  const query = async (url: string, statement: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    return client.query(statement).finally(() => client.end())
  }

  const first = await startPostgres(options)
  await query(first.url, 'create table kept as select 1 as one')
  await expect(query(first.url.replace('one-password', 'another'), 'select 1')).rejects.toThrow(
    'password authentication failed',
  )
  await first.stop()
  expect(first.processes.some(child => isRunning(child.identity))).toBe(false)

  const second = await startPostgres(options)
  expect((await query(second.url, 'select one from kept')).rows).toEqual([{ one: 1 }])
  // Another server on the same data ends at once, and leaves the first one running.
  await expect(startPostgres({ ...options, port: await freePort() })).rejects.toThrow(
    /PostgreSQL exited with code 1\..*postmaster.pid/s,
  )
  expect((await query(second.url, 'select one from kept')).rows).toEqual([{ one: 1 }])
  await second.stop()
  expect(await isPortFree(port)).toBe(true)
  await writeFile(join(dataDir, 'PG_VERSION'), '14\n')
  await expect(startPostgres(options)).rejects.toThrow(/^The data is from PostgreSQL 14, .* npm run reset\.$/)
  await removePostgresData(dataDir)
  expect(existsSync(dataDir)).toBe(false)
})

/** Whether there is twice the room that the servers ask for, since other tests take some of it. */
function hasRoomInMemory(): boolean {
  if (!existsSync('/dev/shm')) return false
  const { bavail, bsize } = statfsSync('/dev/shm')
  return Math.min(bavail * bsize, freemem()) > 8 * 1024 ** 3
}

test('the data of a private PostgreSQL in memory is in /dev/shm if there is room, and is deleted with the link to it', async () => {
  const dataDir = join(dir, 'postgres-in-memory')
  const port = await freePort()
  const logFile = join(dir, 'postgres-in-memory.log')
  const options = { dataDir, logFile, port, password: 'one-password', durable: false, inMemory: true, report }
  const server = await startPostgres(options)
  await server.stop()
  const place = await realpath(dataDir)
  if (hasRoomInMemory()) expect(place).toMatch(/^\/dev\/shm\/cobro-/)
  await removePostgresData(dataDir)
  expect([dataDir, place].map(existsSync)).toEqual([false, false])
})

test('the servers of tests keep their data in /dev/shm if there is room, and leave nothing there', async () => {
  const hasRoom = hasRoomInMemory()
  const { rabbitmq, close } = await startDedicatedServers({ inMemory: true, durable: false })
  const broker = rabbitmq.running().processes.at(-1)!
  const place = await realpath(`/proc/${broker.identity.pid}/cwd`)
  if (hasRoom) expect(place).toMatch(/^\/dev\/shm\/cobro-dedicated-servers-/)
  await close()
  expect(existsSync(dirname(place))).toBe(false)
})

test('a private RabbitMQ accepts connections, and leaves no process and no port mapper after its stop', async () => {
  const ports = { amqp: await freePort(), node: await freePort(), epmd: await freePort(), api: await freePort() }
  const logFile = join(dir, 'rabbitmq.log')
  const server = await startRabbitmq({
    dir: join(dir, 'rabbitmq'),
    logFile,
    ports,
    password: 'one-password',
    report,
  })
  // A busy machine may need more than the two seconds of one try.
  const isReady = () => speaksAmqp(ports.amqp)
  await waitUntilReady(server.processes.at(-1)!, { isReady, logFile, signal: undefined })
  expect(server.processes.every(child => isRunning(child.identity))).toBe(true)
  await server.stop()
  expect(await speaksAmqp(ports.amqp)).toBe(false)
  expect(server.processes.some(child => isRunning(child.identity))).toBe(false)
  expect(await isPortFree(ports.epmd)).toBe(true)
})
