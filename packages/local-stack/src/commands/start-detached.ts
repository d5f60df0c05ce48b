import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logFile, stackFiles } from '../layout/stack-paths.ts'
import { makePrivateFolder } from '../machine/private-files.ts'
import { runningLauncher } from '../stack/stack-lock.ts'

/**
 * Starts the stack in a process of its own that outlives this one, showing what it says until everything is ready. Returns
 * whether it got there.
 */
export async function startDetached(dir: string): Promise<boolean> {
  makePrivateFolder(stackFiles(dir).logs)
  const file = logFile(dir, 'launcher')
  const log = openSync(file, 'a', 0o600)
  const start = join(import.meta.dirname, 'start.ts')
  const launcher = spawn(process.execPath, [...process.execArgv, start], {
    detached: true,
    stdio: ['ignore', log, log],
  })
  const show = followFile(file, fstatSync(log).size)
  closeSync(log)
  let ended = false
  launcher.once('exit', () => {
    ended = true
  })
  // Whoever gives up waiting means the stack, not this window on it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => launcher.kill('SIGTERM'))
  while (!ended && !isReady(dir, launcher.pid)) {
    await sleep(100)
    show()
  }
  show()
  launcher.unref()
  return !ended
}

/** Another launcher's stack may be ready all along, which is no answer. */
function isReady(dir: string, pid: number | undefined): boolean {
  const launcher = runningLauncher(dir)
  return launcher?.pid === pid && launcher?.ready === true
}

/** Each call prints what has been added to a file since the last one; the first one begins at `from`. */
function followFile(file: string, from: number): () => void {
  let shown = from
  return () => {
    const text = readFileSync(file)
    process.stdout.write(text.subarray(shown))
    shown = text.length
  }
}
