import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { identifyProcess, type ProcessIdentity } from './process-identity.ts'
import { userError } from './user-error.ts'

/**
 * How long a process may take until it is ready. Long, because six services that start at once on a
 * busy machine need more than a minute; a process that fails exits at once.
 */
const readyTimeoutMs = 180_000

/** How to start a process. It appends output to `logFile`; `env` is its whole environment. */
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

/** A process that the launcher started. */
export interface ManagedProcess {
  name: string
  pid: number
  identity: ProcessIdentity
  /** Why the process ended, such as "exited with code 1". Undefined while it runs. */
  exitReason: () => string | undefined
  exited: Promise<void>
  kill: (signal: NodeJS.Signals) => void
  /** Kills its process group with SIGKILL, like a power failure. */
  crash: () => Promise<void>
  /** Sends `signal`, and kills the process group if the process still runs after `timeoutMs`. */
  stop: (options?: { signal?: NodeJS.Signals; timeoutMs?: number }) => Promise<void>
}

/** Starts a process in its own group: Ctrl-C reaches only the launcher, which stops all in turn. */
export async function startProcess(options: ProcessOptions): Promise<ManagedProcess> {
  const { name, command, args, env, logFile, cwd, uid, gid } = options
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(command, args, { cwd, env, uid, gid, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  await spawned(child, command)
  const pid = child.pid as number
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const exitReason = () => {
    if (child.exitCode !== null) return `exited with code ${child.exitCode}`
    return child.signalCode === null ? undefined : `was killed by ${child.signalCode}`
  }
  return {
    name,
    pid,
    identity: identifyProcess(pid) ?? { pid, startedAt: '' },
    exitReason,
    exited,
    kill: signal => void child.kill(signal),
    crash: async () => {
      killGroup(pid)
      await exited
    },
    stop: async ({ signal = 'SIGTERM', timeoutMs = 45_000 } = {}) => {
      if (exitReason()) return
      child.kill(signal)
      const timedOut = await Promise.race([exited.then(() => false), sleep(timeoutMs, true, { ref: false })])
      if (timedOut) killGroup(pid)
      await exited
    },
  }
}

/** Waits for `isReady`. Throws with the end of the log if the process exits first or is late. */
export async function waitUntilReady(
  child: ManagedProcess,
  options: { isReady: () => Promise<boolean>; logFile: string; signal: AbortSignal | undefined },
): Promise<void> {
  const { isReady, logFile, signal } = options
  const deadline = Date.now() + readyTimeoutMs
  while (!(await isReady())) {
    signal?.throwIfAborted()
    const why =
      child.exitReason() ?? (Date.now() > deadline ? `was not ready within ${readyTimeoutMs / 1000} s` : undefined)
    if (why) throw userError(`${child.name} ${why}. Last lines of ${logFile}:\n${lastLines(logFile)}`)
    await sleep(50)
  }
}

/** Returns the last lines of a log, for an error message. */
export const lastLines = (file: string): string =>
  readFileSync(file, 'utf8').trimEnd().split('\n').slice(-20).join('\n')

function spawned(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', error => reject(userError(`${command} could not be started: ${error.message}.`, error)))
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has exited in the meantime.
  }
}
