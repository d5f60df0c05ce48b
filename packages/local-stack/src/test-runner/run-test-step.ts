import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { repositoryRoot } from '../layout/stack-paths.ts'
import type { TestStep } from './test-steps.ts'
import { parseTotals, singleTotal, type Totals } from './test-totals.ts'

/** Runs one step, showing what it says, and sums up how it went. An abort ends it with everything that it started. */
export async function runStep(
  { command, args, counts }: TestStep,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Totals> {
  // In a process group of its own, because a terminal's Ctrl-C is ours to pass on, and a group can be ended as one.
  const child = spawn(command, args, { cwd: repositoryRoot, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
      process.stdout.write(text)
    })
  }
  const endGroup = () => void endProcessGroup(child.pid)
  signal.addEventListener('abort', endGroup)
  if (signal.aborted) endGroup()
  const ok = await new Promise<boolean>(resolve => {
    child.once('error', error => {
      output += error.message
      console.error(error.message)
      resolve(false)
    })
    child.once('close', code => resolve(code === 0))
  })
  signal.removeEventListener('abort', endGroup)
  return counts === 'once' ? singleTotal(ok) : parseTotals(output, ok)
}

async function endProcessGroup(pid: number | undefined): Promise<void> {
  if (!pid) return
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    try {
      process.kill(-pid, signal)
    } catch {
      return
    }
    await sleep(10_000, undefined, { ref: false })
  }
}
