import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '@cobro/local-stack/run-command'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { userError } from '@cobro/local-stack/user-error'
import { publishedPackages } from './published-packages.ts'
import type { ReleaseFacts } from './release-problems.ts'

const acceptedChangesFile = 'releases/accepted-changes.json'

/** Reads what decides whether packages may be published from this checkout, under a tag if there is one. */
export async function readReleaseFacts(tag?: string): Promise<ReleaseFacts> {
  const { version } = await readJson('package.json')
  const tagsOfCommit = tag ? (await git('tag', '--points-at', 'HEAD')).split('\n') : []
  return {
    version,
    versions: await otherVersions(),
    changelog: await readText('CHANGELOG.md'),
    description: await readJson('openapi.json'),
    released: await readJson(`releases/${version}.json`).catch(() => undefined),
    acceptedChanges: await readJson(acceptedChangesFile),
    changes: await git('status', '--porcelain'),
    ...(tag && { tag: { name: tag, version: tag.replace(/^\w+-v/, ''), tagsOfCommit } }),
  }
}

/** Stores the API description as that of the project's version, and forgets the changes accepted since the one before. */
export async function prepareRelease(): Promise<number> {
  const { version } = await readJson('package.json')
  const file = `releases/${version}.json`
  if (await readText(file).catch(() => undefined)) throw userError(`${file} exists: raise the version in package.json.`)
  const { info, ...description } = await readJson('openapi.json')
  const released = { ...description, info: { ...info, 'x-commit': await git('rev-parse', 'HEAD') } }
  await writeFile(join(repositoryRoot, file), `${JSON.stringify(released, null, 2)}\n`)
  await writeFile(join(repositoryRoot, acceptedChangesFile), '[]\n')
  process.stdout.write(`Written: ${file}, ${acceptedChangesFile}.\n`)
  return 0
}

async function otherVersions(): Promise<Map<string, string | undefined>> {
  const versions = new Map<string, string | undefined>()
  for (const { folder, versionFile } of publishedPackages) {
    versions.set(`${folder}/package.json`, (await readJson(`${folder}/package.json`)).version)
    versions.set(versionFile, /version = '(.*)'/.exec(await readText(versionFile))?.[1])
  }
  return versions
}

const readText = (path: string) => readFile(join(repositoryRoot, path), 'utf8')
const readJson = async (path: string) => JSON.parse(await readText(path))

async function git(...args: string[]): Promise<string> {
  const { ok, stdout, stderr } = await runCommand('git', args, { cwd: repositoryRoot })
  if (!ok) throw userError(`git ${args[0]} failed: ${stderr.trim()}`)
  return stdout.trim()
}
