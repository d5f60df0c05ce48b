import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '@cobro/local-stack/run-command'
import { userError } from '@cobro/local-stack/user-error'

/** A tarball as it would be published. */
export interface PackedPackage {
  name: string
  version: string
  /** Its path. */
  tarball: string
  /** Its size in bytes. */
  size: number
  /** Its hash, as a lockfile has it. */
  integrity: string
  files: { path: string; size: number }[]
}

/** Where a package is built, as `repository` of a manifest. */
export interface PackageRepository {
  type: 'git'
  url: string
  /** The package's folder there. */
  directory: string
}

/**
 * Builds the package in a folder and packs it into a tarball in `destination`. The manifest in the tarball has no
 * `private`, which keeps `npm publish` from publishing the folder, and nothing that only a checkout needs. It names the
 * repository, without which npm publishes no provenance.
 */
export async function packPackage(
  folder: string,
  destination: string,
  repository?: PackageRepository,
): Promise<PackedPackage> {
  const work = await mkdtemp(join(tmpdir(), 'cobro-pack-'))
  try {
    await output('pnpm', ['run', 'build'], folder)
    // pnpm replaces `exports` by those for users, and versions of the workspace by numbers.
    await output('pnpm', ['pack', '--pack-destination', work], folder)
    const [packed = ''] = await readdir(work)
    await output('tar', ['xzf', packed], work)
    const content = join(work, 'package')
    await makePublishable(join(content, 'package.json'), repository)
    await mkdir(destination, { recursive: true })
    const [result] = await npmPack(content, destination)
    if (!result) throw userError(`npm pack packed nothing of ${folder}.`)
    const { name, version, filename, size, integrity, files } = result
    return { name, version, tarball: join(destination, filename), size, integrity, files }
  } finally {
    await rm(work, { recursive: true })
  }
}

async function makePublishable(file: string, repository?: PackageRepository): Promise<void> {
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _dev,
    ...manifest
  } = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, `${JSON.stringify({ ...manifest, ...(repository && { repository }) }, null, 2)}\n`)
}

interface NpmPacked extends Omit<PackedPackage, 'tarball'> {
  filename: string
}

async function npmPack(folder: string, destination: string): Promise<NpmPacked[]> {
  return JSON.parse(await output('npm', ['pack', '--json', '--pack-destination', destination], folder))
}

async function output(command: string, args: string[], cwd: string): Promise<string> {
  const { ok, stdout, stderr } = await runCommand(command, args, { cwd })
  if (!ok) throw userError(`${command} ${args[0]} failed in ${cwd}:\n${`${stdout}${stderr}`.trim()}`)
  return stdout
}
