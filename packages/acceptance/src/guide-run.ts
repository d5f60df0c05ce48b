import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { exampleUrl } from '@cobro/docs/example-url'
import { regionsOf } from '@cobro/docs/snippets'
import type { AcceptanceStack } from './acceptance-stack.ts'
import { snippetFolder } from './guide-pages.ts'
import { maskedOutput } from './masked-output.ts'

const cli = join(import.meta.dirname, '..', '..', 'cli', 'src', 'main.ts')
const maxMs = 120_000

/** Runs the files of guides as a reader would: with the command `cobro` and a key in the environment. */
export async function guideRun({ stack }: AcceptanceStack) {
  const home = await mkdtemp(join(tmpdir(), 'cobro-guide-'))
  const bin = join(home, 'bin')
  await mkdir(bin)
  await writeFile(
    join(bin, 'cobro'),
    `#!/bin/sh\nexec '${process.execPath}' --conditions=cobro-source --no-warnings '${cli}' "$@"\n`,
  )
  await chmod(join(bin, 'cobro'), 0o755)
  const env = {
    PATH: [bin, process.env.PATH].join(delimiter),
    HOME: home,
    COBRO_API_KEY: stack.api_key,
    COBRO_BASE_URL: stack.base_url,
    OPERATOR_EMAIL: stack.operator.email,
    OPERATOR_PASSWORD: stack.operator.password,
  }
  const folder = join(home, 'work')
  await mkdir(folder)

  /** Runs a program to its end. Throws what it printed if it fails. */
  const run = async (command: string, args: readonly string[], input = ''): Promise<string> => {
    const child = spawn(command, args, { cwd: folder, env, signal: AbortSignal.timeout(maxMs) })
    // A program may end without reading its input. How it ended says whether that was wrong.
    child.stdin.on('error', () => undefined).end(input)
    const [code, stdout, stderr] = await Promise.all([
      new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject)),
      text(child.stdout),
      text(child.stderr),
    ])
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${stdout}\n${stderr}`)
    return stdout
  }

  return {
    run,
    /** Runs the regions of a shell script in one shell. Returns what each printed, with ids and times as in the examples. */
    async shell(file: string): Promise<Map<string, string>> {
      const regions = regionsOf(
        (await readFile(join(snippetFolder, file), 'utf8')).replaceAll(exampleUrl, stack.base_url),
      )
      const parts = [...regions].map(([name, code]) => `printf '\\036%s\\n' '${name}'\n${code}\n`)
      const printed = await run('bash', ['-e', '-o', 'pipefail'], parts.join(''))
      return new Map(
        printed
          .split('\u001e')
          .slice(1)
          .map(part => {
            const [name = '', ...lines] = part.split('\n')
            return [name, maskedOutput(lines.join('\n'), stack.base_url)]
          }),
      )
    },
    /** Runs a program of a guide. Returns what it printed. */
    async program(file: string): Promise<string> {
      // A copy with the stack's address, where it finds the same packages, and where no build looks for sources.
      const copy = join(
        snippetFolder,
        '..',
        'dist',
        `.${file.replaceAll('/', '-').replace(/(?=\.\w+$)/, `-${process.pid}`)}`,
      )
      await writeFile(copy, (await readFile(join(snippetFolder, file), 'utf8')).replaceAll(exampleUrl, stack.base_url))
      try {
        return maskedOutput(
          await run(process.execPath, ['--conditions=cobro-source', '--no-warnings', copy]),
          stack.base_url,
        )
      } finally {
        await rm(copy)
      }
    },
    remove: () => rm(home, { recursive: true, force: true }),
  }
}
