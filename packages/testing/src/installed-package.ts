import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
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

/** Builds and packs the package in a folder, and installs the tarball in an empty project without a registry. */
export async function installPackage(packageFolder: string): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'cobro-package-'))
  await run('pnpm', ['run', 'build'], { cwd: packageFolder })
  await run('pnpm', ['pack', '--pack-destination', folder], { cwd: packageFolder })
  const [name = ''] = await readdir(folder)
  const tarball = join(folder, name)
  const project = join(folder, 'project')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], { cwd: project })
  const { stdout } = await run('tar', ['tzf', tarball])
  const files = stdout.trim().split('\n')
  return { project, tarball, files, remove: () => rm(folder, { recursive: true, force: true }) }
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
