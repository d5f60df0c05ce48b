import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { stackFiles } from '../layout/stack-paths.ts'
import type { ManagedProcess } from '../machine/managed-process.ts'
import { writePrivateFile } from '../machine/private-files.ts'
import { isRunning, type ProcessIdentity } from '../machine/process-identity.ts'

/** Writes down which processes a stack has, in the order of their start, for the day on which the launcher itself is killed. */
export const recordProcesses = (dir: string, children: ManagedProcess[]): void =>
  writePrivateFile(
    stackFiles(dir).processes,
    children.filter(child => !child.exitReason()).map(child => child.identity),
  )

/** Stops what a killed launcher left running, the last started first. */
export async function stopOrphanedProcesses(dir: string): Promise<number> {
  const file = stackFiles(dir).processes
  if (!existsSync(file)) return 0
  const recorded: ProcessIdentity[] = JSON.parse(await readFile(file, 'utf8'))
  const left = recorded.filter(isRunning).reverse()
  for (const identity of left) await stopProcess(identity)
  await rm(file)
  return left.length
}

/** Asks a process to end, and ends it with its group when it does not. */
async function stopProcess(identity: ProcessIdentity): Promise<void> {
  process.kill(identity.pid, 'SIGTERM')
  if (await ended(identity, 15_000)) return
  process.kill(-identity.pid, 'SIGKILL')
  await ended(identity, 5_000)
}

/** Waits for the end of a process that is not our child. */
export async function ended(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false
    await sleep(50)
  }
  return true
}
