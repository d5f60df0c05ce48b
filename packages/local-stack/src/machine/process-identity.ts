import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process that is still the same one later. The number alone does not do: the system gives it to another one some day. */
export interface ProcessIdentity {
  pid: number
  startedAt: string
}

/** The identity of a running process, undefined when there is none by that number. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

/** Whether the very process is still there. */
export const isRunning = (identity: ProcessIdentity): boolean =>
  identifyProcess(identity.pid)?.startedAt === identity.startedAt

function startTimeFromProc(pid: number): string | undefined {
  try {
    // The second field is the program's name in brackets and may hold anything, so fields are counted behind it.
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
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}
