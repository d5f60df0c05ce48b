import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { userError } from '@cobro/local-stack/user-error'
import { buildingRepository } from '../packages/building-repository.ts'
import { type PackedPackage, packPackage } from '../packages/pack-package.ts'
import { type PublishedPackage, publishedPackages } from '../packages/published-packages.ts'
import { prepareRelease, readReleaseFacts } from '../packages/release-facts.ts'
import { releaseProblems } from '../packages/release-problems.ts'

const usage = 'npm run release:packages -- --dry-run [--without-tests] | --prepare | --tag <sdk-v1.2.3|cli-v1.2.3>'

/**
 * Publishes the package of a tag, from CI alone. A dry run checks, tests and packs all packages and prints what would be
 * published; it exits with 1 if something is in the way. `--prepare` stores the API description of the release. The tests
 * install the tarballs that are published.
 */
export async function releasePackages(args: string[]): Promise<number> {
  const { tag, prepare, dryRun, tests } = readOptions(args)
  if (prepare) return prepareRelease()
  const repository = buildingRepository(process.env)
  if (!dryRun) checkCi(repository)
  const facts = await readReleaseFacts(tag)
  const problems = releaseProblems(facts)
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  if (problems.length > 0 && !dryRun) return 1
  const packages = tag ? [packageOf(tag)] : publishedPackages
  const destination = join(repositoryRoot, 'dist/release', facts.version, 'packages')
  const packed = await packAll(packages, destination, repository)
  if (tests && !(await testTarballs(packages, destination))) return 1
  for (const one of dryRun ? [] : packed) await publish(one)
  return problems.length > 0 ? 1 : 0
}

function readOptions(args: string[]) {
  const option = { type: 'boolean', default: false } as const
  const options = { tag: { type: 'string' }, prepare: option, 'dry-run': option, 'without-tests': option } as const
  const { tag, prepare, 'dry-run': dryRun, 'without-tests': withoutTests } = parseArgs({ args, options }).values
  if (prepare ? dryRun || withoutTests || tag : !dryRun && !tag) throw userError(usage)
  if (withoutTests && !dryRun) throw userError('Packages are published with tests only.')
  if (tag) packageOf(tag)
  return { tag, prepare, dryRun, tests: !withoutTests }
}

function packageOf(tag: string): PublishedPackage {
  const published = publishedPackages.find(({ name }) => tag.startsWith(`${name}-v`))
  if (!published) throw userError(`Unknown tag ${tag}: expected sdk-v or cli-v and a version.`)
  return published
}

function checkCi(repository: string | undefined): void {
  // Some machines set CI=false.
  if (process.env.CI !== 'true') throw userError('Packages are published from CI alone. Here, use --dry-run.')
  if (!repository)
    throw userError(
      'CI does not name the repository: expected GITHUB_SERVER_URL and GITHUB_REPOSITORY, or CI_PROJECT_URL.',
    )
}

/** Packs the packages and prints what is in them. */
async function packAll(
  packages: readonly PublishedPackage[],
  destination: string,
  url: string | undefined,
): Promise<PackedPackage[]> {
  const all: PackedPackage[] = []
  for (const { folder } of packages) {
    const repository = url ? ({ type: 'git', url, directory: folder } as const) : undefined
    const packed = await packPackage(join(repositoryRoot, folder), destination, repository)
    printPackage(packed)
    all.push(packed)
  }
  if (!url) process.stdout.write('The manifests name no repository: CI adds the one that it builds.\n')
  return all
}

/** Runs the tests of the tarballs: their files, publint, arethetypeswrong, and programs that use what is installed. */
async function testTarballs(packages: readonly PublishedPackage[], tarballs: string): Promise<boolean> {
  for (const { folder } of packages) {
    const args = ['test', '--only', 'faults', '--filter', `${folder}/test/package.ftest.ts`]
    if (!(await run('node', ['deploy/local/run.mjs', ...args], { COBRO_TEST_TARBALLS: tarballs }))) return false
  }
  return true
}

function printPackage({ name, version, tarball, size, integrity, files }: PackedPackage): void {
  const sizes = files.map(file => `  ${String(file.size).padStart(8)}  ${file.path}`)
  const lines = [
    `${name} ${version}: ${relative(repositoryRoot, tarball)}`,
    `  ${files.length} files, ${size} bytes packed, ${integrity}`,
    ...sizes,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function publish({ name, version, tarball }: PackedPackage): Promise<void> {
  if (!(await run('npm', ['publish', tarball, '--provenance', '--access', 'public'])))
    throw userError(`npm did not publish ${name} ${version}.`)
}

/** Runs a command in the root of the repository, with its output on the terminal. */
async function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const child = spawn(command, args, { cwd: repositoryRoot, stdio: 'inherit', env: { ...process.env, ...env } })
  const [code] = await once(child, 'exit')
  return code === 0
}
