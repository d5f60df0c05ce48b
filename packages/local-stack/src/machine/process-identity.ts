import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Identifies a process by its id and start time, because the system reuses ids. */
export interface ProcessIdentity {
  pid: number
  startedAt: string
}

/** Returns the identity of a running process, or undefined if no process has this id. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

/** Returns whether this same process is still running. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  const found = identifyProcess(pid)
  return found !== undefined && found.startedAt === startedAt
}

function startTimeFromProc(pid: number): string | undefined {
  try {
    // The second field is the program's name in parentheses and may contain spaces, so count the fields after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const [state, startTicks] = [fields[0], fields[19]]
    return state === 'Z' ? undefined : startTicks
  } catch {
    return undefined
  }
}

function startTimeFromPs(pid: number): string | undefined {
  try {
    // Processes with other locales and time zones have to read the same text.
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env }).trim() || undefined
  } catch {
    return undefined
  }
}
