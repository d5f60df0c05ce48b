import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand } from '@cobro/local-stack/run-command'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { userError } from '@cobro/local-stack/user-error'
import { resolveBaseImage } from '../release/base-image.ts'
import { buildImage, type ReleasedImage } from '../release/build-release.ts'
import { docker } from '../release/docker.ts'
import { images } from '../sbom/images.ts'
import { advisories } from './check-advisories.ts'
import { lint } from './lint-packages.ts'

const usage =
  'npm run release -- --version <version> [--repository <registry/path>] [--push] [--image <name>…] [--base <image>] [--rehearsal]'

/**
 * Builds the images of a release and writes their SBOMs and `release.json` to
 * `dist/release/<version>`. Fails if the tree has changes, a license is not allowed, or an advisory
 * concerns a package or was not checked. A rehearsal accepts changes, a base image without a digest
 * and advisories that were not checked, and `release.json` says so.
 */
export async function release(args: string[]): Promise<number> {
  const { version, repository, push, rehearsal, base: baseName, only } = readOptions(args)
  if (push && rehearsal) throw userError('A rehearsal is not pushed.')
  const revision = await git('rev-parse', 'HEAD')
  if (!rehearsal && (await git('status', '--porcelain')))
    throw userError('Commit the changes first, or use --rehearsal.')
  if ((await lint()) !== 0) throw userError('The packages do not pass the checks above.')
  const checked = await advisories()
  if (checked === 1 || (checked !== 0 && !rehearsal))
    throw userError('A release needs an answer about advisories, and none without an exception.')
  const base = await resolveBaseImage(docker, baseName, rehearsal)
  const folder = resolve(repositoryRoot, 'dist/release', version)
  mkdirSync(folder, { recursive: true })
  const epoch = await git('log', '-1', '--format=%ct')
  const built: ReleasedImage[] = []
  for (const image of images.filter(({ name }) => only.length === 0 || only.includes(name))) {
    process.stdout.write(`building ${image.name}\n`)
    built.push(await buildImage(docker, image, { version, revision, epoch, repository, push, base, folder }))
  }
  const record = { version, revision, rehearsal, advisories_checked: checked === 0, base_images: [base], images: built }
  writeFileSync(join(folder, 'release.json'), `${JSON.stringify(record, null, 2)}\n`)
  process.stdout.write(`Written: dist/release/${version}\n`)
  return 0
}

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      version: { type: 'string' },
      repository: { type: 'string', default: 'cobro' },
      base: { type: 'string', default: 'node:24-bookworm-slim' },
      image: { type: 'string', multiple: true, default: [] as string[] },
      push: { type: 'boolean', default: false },
      rehearsal: { type: 'boolean', default: false },
    },
  })
  const { version, image: only, ...rest } = values
  if (!version) throw userError(usage)
  const unknown = only.find(name => !images.some(image => image.name === name))
  if (unknown)
    throw userError(`Unknown image ${unknown}: expected one of ${images.map(({ name }) => name).join(', ')}.`)
  return { version, only, ...rest }
}

async function git(...args: string[]): Promise<string> {
  const { ok, stdout, stderr } = await runCommand('git', args, { cwd: repositoryRoot })
  if (!ok) throw userError(`git ${args[0]} failed: ${stderr.trim()}`)
  return stdout.trim()
}
