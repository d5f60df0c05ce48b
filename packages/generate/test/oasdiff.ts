import { execFile } from 'node:child_process'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const folder = join(root, '.tools', 'oasdiff-v1.35.0')
const program = join(folder, 'oasdiff')
const source = 'github.com/oasdiff/oasdiff@v1.35.0'

/** A difference between two API descriptions that may break clients: an error (3) or a warning (2). */
export interface Change {
  id: string
  text: string
  level: number
  operationId?: string
}

/** Builds oasdiff in the folder of this checkout's tools, once. Returns whether it exists: not without Go or a registry. */
export async function buildOasdiff(): Promise<boolean> {
  if (await access(program).then(...isDone)) return true
  const work = await mkdtemp(join(tmpdir(), 'oasdiff-'))
  // By default Go's caches are in the home folder, and cannot be deleted.
  const caches = { GOPATH: join(work, 'path'), GOCACHE: join(work, 'cache'), GOFLAGS: '-modcacherw' }
  const built = run('go', ['install', source], { env: { ...process.env, ...caches, GOBIN: folder } })
  return built.then(...isDone).finally(() => rm(work, { recursive: true }))
}

const isDone = [() => true, () => false] as const

/** Compares two API descriptions by their files. */
export async function breakingChanges(before: string, after: string): Promise<Change[]> {
  const { stdout } = await run(program, ['breaking', before, after, '--format', 'json'], { maxBuffer: 64 * 2 ** 20 })
  return stdout.trim() === '' ? [] : JSON.parse(stdout)
}
