import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logFile, stackFiles } from '../layout/stack-paths.ts'
import { makePrivateFolder } from '../machine/private-files.ts'
import { runningLauncher } from '../stack/stack-lock.ts'

/** Says that the output of a launcher goes to its log. */
export const detachedFlag = '--output-to-log'

/**
 * Starts the stack in a process that outlives this one, and prints that process's output until the
 * stack is ready. That process gets the `flags` too. Returns false if the process exits before that.
 */
export async function startDetached(dir: string, flags: readonly string[]): Promise<boolean> {
  makePrivateFolder(stackFiles(dir).logs)
  const file = logFile(dir, 'launcher')
  const log = openSync(file, 'a', 0o600)
  const start = join(import.meta.dirname, 'start.ts')
  const launcher = spawn(process.execPath, [...process.execArgv, start, detachedFlag, ...flags], {
    detached: true,
    stdio: ['ignore', log, log],
  })
  const show = followFile(file, fstatSync(log).size)
  closeSync(log)
  let exited = false
  launcher.once('exit', () => {
    exited = true
  })
  // Ctrl-C while waiting stops the stack itself.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => launcher.kill('SIGTERM'))
  while (!exited && !isReady(dir, launcher.pid)) {
    await sleep(100)
    show()
  }
  show()
  launcher.unref()
  return !exited
}

/** Compares process ids, because the lock may belong to another launcher that is ready. */
function isReady(dir: string, pid: number | undefined): boolean {
  const launcher = runningLauncher(dir)
  return launcher?.pid === pid && launcher?.ready === true
}

/** Returns a function that prints what was appended since its last call, at first since `from`. */
function followFile(file: string, from: number): () => void {
  let shown = from
  return () => {
    const text = readFileSync(file)
    process.stdout.write(text.subarray(shown))
    shown = text.length
  }
}
