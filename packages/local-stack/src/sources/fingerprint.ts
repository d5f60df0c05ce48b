import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'

const generated = new Set(['.turbo', 'node_modules', 'dist', 'test'])

/** Returns a hash of some files of the repository, and of all files in some of its folders except tests and generated files. */
export async function fingerprint(paths: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of await filesIn(join(repositoryRoot, path)))
      hash
        .update(file)
        .update('\0')
        .update(await readFile(file))
  }
  return hash.digest('hex')
}

/** The work of this process, by its stamp files. */
const running = new Map<string, Promise<void>>()

/**
 * Runs `work` unless `stampFile` records that it has already run for the same fingerprint. Steps of a test run that start at the same
 * time wait for one and the same work.
 */
export function runOncePerFingerprint(stampFile: string, current: string, work: () => Promise<void>): Promise<void> {
  const earlier = running.get(stampFile)
  if (earlier) return earlier
  const run = runUnlessStamped(stampFile, current, work).finally(() => running.delete(stampFile))
  running.set(stampFile, run)
  return run
}

async function runUnlessStamped(stampFile: string, current: string, work: () => Promise<void>): Promise<void> {
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === current) return
  await work()
  await writeFile(stampFile, current)
}

async function filesIn(folder: string): Promise<string[]> {
  if (!(await stat(folder)).isDirectory()) return [folder]
  const entries = await readdir(folder, { withFileTypes: true })
  const nested = await Promise.all(
    entries
      .filter(entry => !generated.has(entry.name))
      .map(async entry => {
        const path = join(folder, entry.name)
        return entry.isDirectory() ? filesIn(path) : [path]
      }),
  )
  return nested.flat().sort()
}
