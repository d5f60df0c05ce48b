import { existsSync, readFileSync, rmSync } from 'node:fs'
import { plainFault } from './fault.ts'
import { stackFiles } from './folders.ts'
import { stopLeftovers } from './leftovers.ts'
import { makePrivateFolder, writePrivateFile } from './private-files.ts'
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts'

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
export async function claimStack(dir: string): Promise<void> {
  const other = runningLauncher(dir)
  if (other) throw plainFault(`A stack is running already (process ${other.pid}): stop it by npm stop.`)
  makePrivateFolder(dir)
  writeLauncher(dir, false)
  await stopLeftovers(dir)
}

/** Tells whoever waits for this process's stack that it is ready. */
export const announceReady = (dir: string) => writeLauncher(dir, true)

/** Gives the folder back. */
export function releaseStack(dir: string): void {
  const { launcher, processes, stack } = stackFiles(dir)
  for (const file of [launcher, processes, stack]) rmSync(file, { force: true })
}

function writeLauncher(dir: string, ready: boolean): void {
  writePrivateFile(stackFiles(dir).launcher, { ...identifyProcess(process.pid), ready })
}
