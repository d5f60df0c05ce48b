import { existsSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { stackFiles } from '../layout/stack-paths.ts'
import { makePrivateFolder, writePrivateFile } from '../machine/private-files.ts'
import { identifyProcess, isRunning, type ProcessIdentity } from '../machine/process-identity.ts'
import { userError } from '../machine/user-error.ts'
import { stopOrphanedProcesses } from './orphaned-processes.ts'

/** The launcher that holds a stack's folder, and whether its stack is ready. */
export interface Launcher extends ProcessIdentity {
  ready: boolean
}

/** The launcher that is at work in a folder, undefined when there is none. */
export function runningLauncher(dir: string): Launcher | undefined {
  const file = stackFiles(dir).launcher
  if (!existsSync(file)) return undefined
  const launcher: Launcher = JSON.parse(readFileSync(file, 'utf8'))
  return isRunning(launcher) ? launcher : undefined
}

/** Takes a folder for this process, and stops what an earlier launcher left behind when it was killed. */
export async function acquireStackLock(dir: string): Promise<void> {
  const other = runningLauncher(dir)
  if (other) throw userError(`A stack is running already (process ${other.pid}): stop it by npm stop.`)
  makePrivateFolder(dir)
  checkSpace(dir)
  writeLauncher(dir, false)
  await stopOrphanedProcesses(dir)
}

/** RabbitMQ accepts no messages below 50 MB, and PostgreSQL takes 50 MB for a beginning. */
const neededMegabytes = 200

function checkSpace(dir: string): void {
  const { bavail, bsize } = statfsSync(dir)
  const free = Math.floor((bavail * bsize) / 1024 ** 2)
  if (free >= neededMegabytes) return
  throw userError(
    `The disk of ${dir} is full: ${free} MB are free and ${neededMegabytes} MB are needed. Free some space and run the command again.`,
  )
}

/** Tells whoever waits for this process's stack that it is ready. */
export const markReady = (dir: string) => writeLauncher(dir, true)

/** Gives the folder back. */
export function releaseStackLock(dir: string): void {
  const { launcher, processes, stack } = stackFiles(dir)
  for (const file of [launcher, processes, stack]) rmSync(file, { force: true })
}

function writeLauncher(dir: string, ready: boolean): void {
  writePrivateFile(stackFiles(dir).launcher, { ...identifyProcess(process.pid), ready })
}
