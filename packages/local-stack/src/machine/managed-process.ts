import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { identifyProcess, type ProcessIdentity } from './process-identity.ts'
import { plainFault } from './user-error.ts'

/** What a process is started with. Its output goes to the end of `logFile`; it sees only the environment given here. */
export interface ChildOptions {
  name: string
  command: string
  args: string[]
  env: Record<string, string | undefined>
  logFile: string
  cwd?: string
  uid?: number
  gid?: number
}

/** A running process of ours. */
export interface Child {
  name: string
  pid: number
  identity: ProcessIdentity
  /** Why it ended, as half a sentence; undefined while it runs. */
  ending: () => string | undefined
  exited: Promise<void>
  kill: (signal: NodeJS.Signals) => void
  /** Ends its whole process group at once, as a power failure would. */
  crash: () => Promise<void>
  /** Asks it to stop, and ends its whole process group when it does not within `withinMs`. */
  stop: (options?: { signal?: NodeJS.Signals; withinMs?: number }) => Promise<void>
}

/**
 * Starts a process in a process group of its own, so that a Ctrl-C at the terminal reaches the launcher alone, which then
 * stops everything in order.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, command, args, env, logFile, cwd, uid, gid } = options
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(command, args, { cwd, env, uid, gid, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  await started(child, command)
  const pid = child.pid as number
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const ending = () => {
    if (child.exitCode !== null) return `exited with code ${child.exitCode}`
    return child.signalCode === null ? undefined : `was ended by ${child.signalCode}`
  }
  return {
    name,
    pid,
    identity: identifyProcess(pid) ?? { pid, startedAt: '' },
    ending,
    exited: ending() ? Promise.resolve() : exited,
    kill: signal => void child.kill(signal),
    crash: async () => {
      endGroup(pid)
      await exited
    },
    stop: async ({ signal = 'SIGTERM', withinMs = 45_000 } = {}) => {
      if (ending()) return
      child.kill(signal)
      const late = await Promise.race([exited.then(() => false), sleep(withinMs, true, { ref: false })])
      if (late) endGroup(pid)
      await exited
    },
  }
}

/** Waits until `isReady` says so. A process that ends before, or takes too long, is a fault that shows its last words. */
export async function waitUntilReady(
  child: Child,
  options: { isReady: () => Promise<boolean>; withinMs: number; logFile: string; signal: AbortSignal | undefined },
): Promise<void> {
  const { isReady, withinMs, logFile, signal } = options
  const deadline = Date.now() + withinMs
  while (!(await isReady())) {
    signal?.throwIfAborted()
    const ending = child.ending()
    const why = ending ?? (Date.now() > deadline ? `was not ready within ${withinMs / 1000} s` : undefined)
    if (why) throw plainFault(`${child.name} ${why}. The end of ${logFile}:\n${lastLines(logFile)}`)
    await sleep(50)
  }
}

/** The end of a log, for a message. */
export function lastLines(file: string, count = 20): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  } catch {
    return '(there is no log)'
  }
}

function started(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', error => reject(plainFault(`${command} could not be started: ${error.message}.`, error)))
  })
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself in the meantime.
  }
}
