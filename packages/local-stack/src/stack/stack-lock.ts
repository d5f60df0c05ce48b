import { existsSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { stackFiles } from '../layout/stack-paths.ts'
import { makePrivateFolder, writePrivateFile } from '../machine/private-files.ts'
import { identifyProcess, isRunning, type ProcessIdentity } from '../machine/process-identity.ts'
import { userError } from '../machine/user-error.ts'
import { stopOrphanedProcesses } from './orphaned-processes.ts'

/** The launcher that holds the lock of a stack's directory, and whether its stack is ready. */
export interface Launcher extends ProcessIdentity {
  ready: boolean
}

/** Returns the running launcher of a directory, or undefined. */
export function runningLauncher(dir: string): Launcher | undefined {
  const file = stackFiles(dir).launcher
  if (!existsSync(file)) return undefined
  const launcher: Launcher = JSON.parse(readFileSync(file, 'utf8'))
  return isRunning(launcher) ? launcher : undefined
}

/** Locks a directory for this process and stops processes that a killed launcher left running. */
export async function acquireStackLock(dir: string): Promise<void> {
  const other = runningLauncher(dir)
  if (other) throw userError(`A stack is already running (process ${other.pid}): stop it with npm stop.`)
  makePrivateFolder(dir)
  checkSpace(dir)
  writeLauncher(dir, false)
  await stopOrphanedProcesses(dir)
}

/** RabbitMQ blocks publishers below 50 MB of free disk, and a new PostgreSQL takes 50 MB. */
const requiredMegabytes = 200

function checkSpace(dir: string): void {
  const { bavail, bsize } = statfsSync(dir)
  const free = Math.floor((bavail * bsize) / 1024 ** 2)
  if (free >= requiredMegabytes) return
  throw userError(
    `The disk of ${dir} is full: ${free} MB are free and ${requiredMegabytes} MB are required. Free some space and run the command again.`,
  )
}

/** Records that the stack of this process is ready. */
export const markReady = (dir: string) => writeLauncher(dir, true)

/** Unlocks the directory. */
export function releaseStackLock(dir: string): void {
  const { launcher, processes, stack } = stackFiles(dir)
  for (const file of [launcher, processes, stack]) rmSync(file, { force: true })
}

function writeLauncher(dir: string, ready: boolean): void {
  writePrivateFile(stackFiles(dir).launcher, { ...identifyProcess(process.pid), ready })
}
