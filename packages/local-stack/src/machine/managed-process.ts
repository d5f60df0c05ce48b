import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { identifyProcess, type ProcessIdentity } from './process-identity.ts'
import { userError } from './user-error.ts'

/** What a process is started with. Its output goes to the end of `logFile`; it sees only the environment given here. */
export interface ProcessOptions {
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
export interface ManagedProcess {
  name: string
  pid: number
  identity: ProcessIdentity
  /** Why it ended, as half a sentence; undefined while it runs. */
  exitReason: () => string | undefined
  exited: Promise<void>
  kill: (signal: NodeJS.Signals) => void
  /** Ends its whole process group at once, as a power failure would. */
  crash: () => Promise<void>
  /** Asks it to stop, and ends its whole process group when it does not within `timeoutMs`. */
  stop: (options?: { signal?: NodeJS.Signals; timeoutMs?: number }) => Promise<void>
}

/**
 * Starts a process in a process group of its own, so that a Ctrl-C at the terminal reaches the launcher alone, which then
 * stops everything in order.
 */
export async function startProcess(options: ProcessOptions): Promise<ManagedProcess> {
  const { name, command, args, env, logFile, cwd, uid, gid } = options
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(command, args, { cwd, env, uid, gid, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  await started(child, command)
  const pid = child.pid as number
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const exitReason = () => {
    if (child.exitCode !== null) return `exited with code ${child.exitCode}`
    return child.signalCode === null ? undefined : `was ended by ${child.signalCode}`
  }
  return {
    name,
    pid,
    identity: identifyProcess(pid) ?? { pid, startedAt: '' },
    exitReason,
    exited: exitReason() ? Promise.resolve() : exited,
    kill: signal => void child.kill(signal),
    crash: async () => {
      endGroup(pid)
      await exited
    },
    stop: async ({ signal = 'SIGTERM', timeoutMs = 45_000 } = {}) => {
      if (exitReason()) return
      child.kill(signal)
      const late = await Promise.race([exited.then(() => false), sleep(timeoutMs, true, { ref: false })])
      if (late) endGroup(pid)
      await exited
    },
  }
}

/** Waits until `isReady` says so. A process that ends before, or takes too long, is a fault that shows its last words. */
export async function waitUntilReady(
  child: ManagedProcess,
  options: { isReady: () => Promise<boolean>; timeoutMs: number; logFile: string; signal: AbortSignal | undefined },
): Promise<void> {
  const { isReady, timeoutMs, logFile, signal } = options
  const deadline = Date.now() + timeoutMs
  while (!(await isReady())) {
    signal?.throwIfAborted()
    const ending = child.exitReason()
    const why = ending ?? (Date.now() > deadline ? `was not ready within ${timeoutMs / 1000} s` : undefined)
    if (why) throw userError(`${child.name} ${why}. The end of ${logFile}:\n${lastLines(logFile)}`)
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
    child.once('error', error => reject(userError(`${command} could not be started: ${error.message}.`, error)))
  })
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself in the meantime.
  }
}
