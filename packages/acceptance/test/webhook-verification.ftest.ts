import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { lineOf, mutatedVectors, namedVectors, sdkAccepts, type WebhookVector } from '../src/webhook-vectors.ts'

const run = promisify(execFile)
const snippets = join(import.meta.dirname, '..', '..', 'docs', 'snippets', 'webhooks')
const file = (name: string) => join(snippets, name)
/** The first build with Go compiles its standard library. */
const maxMs = 240_000

/** How the guide's program in a language is run: what has to be there, and how it is built, if it is. */
interface Language {
  probe: readonly string[]
  build?: (folder: string) => readonly string[]
  command: (folder: string) => readonly string[]
}

const languages: Record<string, Language> = {
  TypeScript: {
    probe: [process.execPath, '--version'],
    command: () => [process.execPath, '--conditions=cobro-source', '--no-warnings', file('verify.ts')],
  },
  Python: { probe: ['python3', '--version'], command: () => ['python3', file('verify.py')] },
  PHP: { probe: ['php', '--version'], command: () => ['php', file('verify.php')] },
  Go: {
    probe: ['go', 'version'],
    build: folder => ['go', 'build', '-o', join(folder, 'verify'), file('verify.go')],
    command: folder => [join(folder, 'verify')],
  },
  Java: {
    probe: ['javac', '--version'],
    build: folder => ['javac', '-Xlint:all', '-Werror', '-d', folder, file('Verify.java')],
    command: folder => ['java', '-cp', folder, 'Verify'],
  },
}

async function isThere([command = '', ...args]: readonly string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  )
}

/** Returns which vectors the guide's program accepts. */
async function accepted({ build, command }: Language, vectors: readonly WebhookVector[]): Promise<boolean[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cobro-verify-'))
  try {
    const [builder, ...buildArgs] = build?.(folder) ?? []
    if (builder !== undefined) await run(builder, buildArgs, { timeout: maxMs })
    const [program = '', ...args] = command(folder)
    const child = spawn(program, args, { signal: AbortSignal.timeout(maxMs) })
    child.stdin.end(vectors.map(vector => `${lineOf(vector)}\n`).join(''))
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(stderr).toBe('')
    return stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) === true)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const present = await Promise.all(
  Object.entries(languages).map(async ([name, language]) => [name, language, await isThere(language.probe)] as const),
)
let vectors: WebhookVector[]
let expected: [name: string, accepted: boolean][]
beforeAll(async () => {
  vectors = [...(await namedVectors()), ...(await mutatedVectors(500, 61))]
  expected = await Promise.all(
    vectors.map(async vector => [vector.name, await sdkAccepts(vector)] as [string, boolean]),
  )
})

test('the SDK accepts some of the webhooks with which languages are compared, and rejects most', () => {
  const valid = expected.filter(([, isValid]) => isValid).map(([name]) => name)
  expect(valid).toEqual(
    expect.arrayContaining([
      'signed 0 s ago',
      'signed 300 s ago',
      'signed -300 s ago',
      'the previous secret',
      'both secrets',
    ]),
  )
  expect(valid.length).toBeLessThan(expected.length / 2)
})

for (const [name, language, isPresent] of present) {
  const title = `the guide's receiver in ${name} accepts and rejects webhooks as the SDK does`
  if (!isPresent) test.skip(`${title} (not run: no ${name})`, () => undefined)
  else
    test(
      title,
      async () => {
        const answers = await accepted(language, vectors)
        expect(answers.map((isValid, place) => [vectors[place]?.name, isValid])).toEqual(expected)
      },
      maxMs,
    )
}
