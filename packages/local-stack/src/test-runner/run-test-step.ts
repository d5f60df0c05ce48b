import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { failedTests, lastLines } from './test-failures.ts'
import type { TestStep } from './test-steps.ts'
import { parseTotals, singleTotal, type Totals } from './test-totals.ts'

/** The result of a step: its totals, and the details of each failure. */
export interface StepResult {
  totals: Totals
  failures: string[]
}

/** Runs a step and prints its output. Aborting kills the step and every process that it started. */
export async function runStep(
  { command, args, counts }: TestStep,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<StepResult> {
  // In its own process group, so that Ctrl-C reaches only this process, which can then kill the whole group.
  const child = spawn(command, args, { cwd: repositoryRoot, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
      process.stdout.write(text)
    })
  }
  const killGroup = () => void killProcessGroup(child.pid)
  signal.addEventListener('abort', killGroup)
  if (signal.aborted) killGroup()
  const ok = await new Promise<boolean>(resolve => {
    child.once('error', error => {
      output += error.message
      console.error(error.message)
      resolve(false)
    })
    child.once('close', code => resolve(code === 0))
  })
  signal.removeEventListener('abort', killGroup)
  const failures = failedTests(output)
  if (!ok && failures.length === 0) failures.push(lastLines(output))
  return { totals: counts === 'once' ? singleTotal(ok) : parseTotals(output, ok), failures }
}

async function killProcessGroup(pid: number | undefined): Promise<void> {
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
