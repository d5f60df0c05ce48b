import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from './acceptance-stack.ts'

const main = join(import.meta.dirname, '..', '..', 'cli', 'src', 'main.ts')

/** What a command printed, and its exit code. */
export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

export type CobroCommand = Awaited<ReturnType<typeof cobroCommand>>

/** The `cobro` command with a home directory of its own, and with nothing of this process's environment. */
export async function cobroCommand(env: Record<string, string> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'cobro-cli-'))
  const running = new Set<ChildProcess>()
  const start = (args: readonly string[], cwd = home) => {
    const child = spawn(process.execPath, ['--conditions=cobro-source', '--no-warnings', main, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, ...env },
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    return child
  }
  const run = async (args: readonly string[], input = ''): Promise<CommandResult> => {
    const child = start(args)
    child.stdin.end(input)
    const [code, stdout, stderr] = await Promise.all([
      new Promise<number | null>(resolve => child.once('close', resolve)),
      text(child.stdout),
      text(child.stderr),
    ])
    return { code, stdout, stderr }
  }
  return {
    home,
    start,
    /** Starts a command at a terminal of its own, which shows what is typed unless the command hides it. */
    startAtTerminal(...args: string[]) {
      const words = [process.execPath, '--conditions=cobro-source', '--no-warnings', main, ...args]
      const command = words.map(word => `'${word}'`).join(' ')
      const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home, SHELL: '/bin/sh', ...env },
      })
      running.add(child)
      return child
    },
    /** Runs a command to its end. */
    run,
    /** Runs a command that succeeds, and returns the JSON that it printed. */
    async json(...args: string[]): Promise<any> {
      const { code, stdout, stderr } = await run(args)
      if (code !== 0) throw new Error(`cobro ${args.join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    /** Starts a command that goes on, and collects the lines of JSON that it prints. */
    lines(...args: string[]) {
      const child = start(args)
      const lines: any[] = []
      createInterface({ input: child.stdout }).on('line', line => void lines.push(JSON.parse(line)))
      const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
      return { child, lines, ended, ready: () => waitFor(() => lines.some(({ type }) => type === 'ready')) }
    },
    async remove() {
      for (const child of running) child.kill('SIGKILL')
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** The `cobro` command, logged in with the key of a stack's merchant. */
export async function loggedInCommand({ stack }: AcceptanceStack): Promise<CobroCommand> {
  const cobro = await cobroCommand()
  const { code, stderr } = await cobro.run(['login', '--base-url', stack.base_url], `${stack.api_key}\n`)
  if (code !== 0) throw new Error(`cobro login ended with ${code}: ${stderr}`)
  return cobro
}
