import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { startProcess } from '../machine/managed-process.ts'
import { memoryDirectory } from '../machine/memory-directory.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'
import { findPostgres, type PostgresPrograms } from './postgres-binaries.ts'
import { type OnSpawned, readyServer, type Server } from './server.ts'

/**
 * Starts a private PostgreSQL on 127.0.0.1 and creates its data directory the first time.
 * Without `durable` it is faster but may lose data in a power failure, which is only acceptable in tests.
 */
export async function startPostgres(options: {
  dataDir: string
  logFile: string
  port: number
  password: string
  durable: boolean
  /** Whether to keep the data in memory, if the machine has room for it there. */
  inMemory?: boolean
  report: ReportProgress
  signal?: AbortSignal | undefined
  onSpawned?: OnSpawned
}): Promise<Server> {
  const { dataDir, logFile, port, password, durable, inMemory = false, report, signal, onSpawned } = options
  const programs = await findPostgres(report)
  await createDataDir(programs, { dataDir, password, inMemory })
  const [command = '', ...args] = [
    ...programs.prefix,
    programs.postgres,
    '-D',
    await realpath(dataDir),
    ...settings(port, durable),
  ]
  const { uid, gid } = programs.user ?? {}
  const child = await startProcess({ name: 'PostgreSQL', command, args, env: serverEnv(), logFile, uid, gid })
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  // SIGINT is PostgreSQL's "fast" shutdown: it closes open sessions instead of waiting for them.
  const stop = () => child.stop({ signal: 'SIGINT', timeoutMs: 20_000 })
  const ready = { isReady: () => acceptsConnections(url), logFile, signal, onSpawned }
  return readyServer({ url, processes: [child], stop, crash: child.crash }, child, ready)
}

/** Deletes a data directory and the symbolic link to it, if there is one. */
export async function removePostgresData(dataDir: string): Promise<void> {
  if (existsSync(dataDir)) await rm(await realpath(dataDir), { recursive: true })
  await rm(dataDir, { recursive: true, force: true })
}

function settings(port: number, durable: boolean): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '300',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

const serverEnv = () => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' })

async function createDataDir(
  programs: PostgresPrograms,
  { dataDir, password, inMemory }: { dataDir: string; password: string; inMemory: boolean },
): Promise<void> {
  const versionFile = join(dataDir, 'PG_VERSION')
  if (existsSync(versionFile)) {
    const major = (await readFile(versionFile, 'utf8')).trim()
    if (major === String(programs.major)) return
    throw userError(
      `The data is from PostgreSQL ${major}, and this is PostgreSQL ${programs.major}: delete the data with npm run reset.`,
    )
  }
  await mkdir(dirname(dataDir), { recursive: true })
  // A system user may not be able to read dataDir, so its data is in its home and dataDir is a link to it.
  const parent = (inMemory ? memoryDirectory() : undefined) ?? programs.user?.home
  const place = parent
    ? join(parent, `cobro-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`)
    : dataDir
  await initialize(programs, place, password)
  if (place !== dataDir) await symlink(place, dataDir)
}

/** Initializes a data directory under a temporary name, so that `place` is never incomplete. */
async function initialize(
  { prefix, initdb, major, user }: PostgresPrograms,
  place: string,
  password: string,
): Promise<void> {
  const partial = `${place}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { mode: 0o700 })
  const passwordFile = `${partial}.password`
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user) await Promise.all([partial, passwordFile].map(path => chown(path, user.uid, user.gid)))
  // The builtin locale (PostgreSQL 17+) handles letters of all languages and sorts the same on every machine.
  const locale = major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] : ['--no-locale']
  const args = [
    '-D',
    partial,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    ...locale,
  ]
  const [command = '', ...rest] = [...prefix, initdb, ...args]
  const made = await runCommand(command, rest, { env: serverEnv(), uid: user?.uid, gid: user?.gid })
  await rm(passwordFile)
  if (!made.ok) throw userError(`PostgreSQL could not create its data directory: ${made.stderr.trim()}`)
  await rm(place, { recursive: true, force: true })
  await rename(partial, place)
}

/** Returns whether PostgreSQL accepts a connection with this URL. */
export async function acceptsConnections(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
