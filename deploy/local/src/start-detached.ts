import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainFault } from './fault.ts'
import { logFile, stackFiles } from './folders.ts'
import { makePrivateFolder } from './private-files.ts'
import { runningLauncher } from './stack-lock.ts'

/** Starts the stack in a process of its own that outlives this one, showing what it says until everything is ready. */
export async function startDetached(dir: string): Promise<void> {
  makePrivateFolder(stackFiles(dir).logs)
  const file = logFile(dir, 'launcher')
  const log = openSync(file, 'w', 0o600)
  const start = join(import.meta.dirname, 'start.ts')
  const launcher = spawn(process.execPath, [...process.execArgv, start], {
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const show = followFile(file)
  let ended = false
  launcher.once('exit', () => {
    ended = true
  })
  // Whoever gives up waiting means the stack, not this window on it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => launcher.kill('SIGTERM'))
  while (!ended && !runningLauncher(dir)?.ready) {
    await sleep(100)
    show()
  }
  show()
  if (ended) throw plainFault('The stack did not start.')
  launcher.unref()
}

/** Each call prints what has been added to a file since the last one. */
function followFile(file: string): () => void {
  let shown = 0
  return () => {
    const text = readFileSync(file)
    process.stdout.write(text.subarray(shown))
    shown = text.length
  }
}
