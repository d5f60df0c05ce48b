import { execFile } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const folder = join(root, '.tools', 'oasdiff-v1.35.0')
const program = join(folder, 'oasdiff')
const source = 'github.com/oasdiff/oasdiff@v1.35.0'
/** A build takes one to four minutes on two cores. */
const buildTimeoutMs = 480_000

/** A difference between two API descriptions that may break clients: an error (3) or a warning (2). */
export interface Change {
  id: string
  text: string
  level: number
  operationId?: string
}

/** Builds oasdiff in the folder of this checkout's tools, once. Returns whether it exists, and says why if not. */
export async function buildOasdiff(): Promise<boolean> {
  if (await access(program).then(...isDone)) return true
  const work = await mkdtemp(join(tmpdir(), 'oasdiff-'))
  // By default Go's caches are in the home folder, and cannot be deleted.
  const caches = { GOPATH: join(work, 'path'), GOCACHE: join(work, 'cache'), GOFLAGS: '-modcacherw' }
  const built = run('go', ['install', source], {
    timeout: buildTimeoutMs,
    env: { ...process.env, ...caches, GOBIN: folder },
  })
  return built.then(() => true, sayWhy).finally(() => rm(work, { recursive: true }))
}

const isDone = [() => true, () => false] as const
const sayWhy = (error: unknown) => {
  process.stdout.write(`the API was not compared with its last release: ${String(error)}\n`)
  return false
}

/** Compares two API descriptions. */
export async function breakingChanges(before: Description, after: Description): Promise<Change[]> {
  const work = await mkdtemp(join(tmpdir(), 'api-descriptions-'))
  const files = ['before.json', 'after.json'].map(name => join(work, name))
  try {
    for (const [place, description] of [before, after].entries())
      await writeFile(files[place] ?? '', JSON.stringify(withEventsAsResponses(description)))
    const { stdout } = await run(program, ['breaking', ...files, '--flatten-allof', '--format', 'json'], {
      maxBuffer: 64 * 2 ** 20,
    })
    return stdout.trim() === '' ? [] : JSON.parse(stdout)
  } finally {
    await rm(work, { recursive: true })
  }
}

/** An OpenAPI description. */
export type Description = any

/** A webhook's body is a request, but a client reads it: for the comparison, each event is the response of a read. */
function withEventsAsResponses({ paths, webhooks, ...description }: Description): Description {
  const events = Object.entries<any>(webhooks).map(([name, { post }]) => {
    const { content } = post.requestBody
    return [`/webhooks/${name}`, { get: { operationId: name, responses: { 200: { description: 'Event', content } } } }]
  })
  return { ...description, paths: { ...paths, ...Object.fromEntries(events) } }
}
