import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export const run = promisify(execFile)

/** A package, packed and installed as its users install it. */
export interface InstalledPackage {
  /** The project that it is installed in. */
  project: string
  tarball: string
  /** The files in the tarball. */
  files: string[]
  remove(): Promise<void>
}

/**
 * Installs the package of a folder in an empty project without a registry: its tarball in `COBRO_TEST_TARBALLS`, if a
 * release is tested, or else one that it builds and packs.
 */
export async function installPackage(packageFolder: string): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'cobro-package-'))
  const packed = process.env.COBRO_TEST_TARBALLS
  const tarball = packed ? join(packed, await tarballName(packageFolder)) : await buildTarball(packageFolder, folder)
  const project = join(folder, 'project')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], { cwd: project })
  const { stdout } = await run('tar', ['tzf', tarball])
  const files = stdout.trim().split('\n')
  return { project, tarball, files, remove: () => rm(folder, { recursive: true, force: true }) }
}

async function buildTarball(packageFolder: string, destination: string): Promise<string> {
  await alone(packageFolder, async () => {
    await run('pnpm', ['run', 'build'], { cwd: packageFolder })
    await run('pnpm', ['pack', '--pack-destination', destination], { cwd: packageFolder })
  })
  return join(destination, await tarballName(packageFolder))
}

/** Returns the name that npm and pnpm give to a package's tarball. */
async function tarballName(packageFolder: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

const retryMs = 200
/** Longer than a build takes, so that the lock of a killed run does not stay. */
const staleMs = 120_000

/** Builds a folder while no other test file does, since each build empties `dist` first. */
async function alone(packageFolder: string, build: () => Promise<void>): Promise<void> {
  const lock = join(packageFolder, 'node_modules', '.build-lock')
  while (!(await isMade(lock))) {
    const since = await stat(lock).catch(() => undefined)
    if (since && Date.now() - since.mtimeMs > staleMs) await rm(lock, { recursive: true, force: true })
    await sleep(retryMs)
  }
  try {
    await build()
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

async function isMade(folder: string): Promise<boolean> {
  return mkdir(folder).then(
    () => true,
    () => false,
  )
}

/** Returns the Node of this run, and that of the system, which may be an older one. */
export function installedNodes(): string[] {
  const paths = (process.env.PATH ?? '').split(delimiter).filter(path => !path.includes('node_modules'))
  return [
    process.execPath,
    ...paths
      .map(path => join(path, 'node'))
      .filter(existsSync)
      .slice(0, 1),
  ]
}
