import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const main = join(import.meta.dirname, '..', '..', 'cli', 'src', 'main.ts')

/** What a command printed, and its exit code. */
export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

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
  return {
    home,
    start,
    /** Runs a command to its end. */
    async run(args: readonly string[], input = ''): Promise<CommandResult> {
      const child = start(args)
      child.stdin.end(input)
      const [code, stdout, stderr] = await Promise.all([
        new Promise<number | null>(resolve => child.once('close', resolve)),
        text(child.stdout),
        text(child.stderr),
      ])
      return { code, stdout, stderr }
    },
    async remove() {
      for (const child of running) child.kill('SIGKILL')
      await rm(home, { recursive: true, force: true })
    },
  }
}
