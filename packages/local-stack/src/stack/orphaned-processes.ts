import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { stackFiles } from '../layout/stack-paths.ts'
import type { ManagedProcess } from '../machine/managed-process.ts'
import { writePrivateFile } from '../machine/private-files.ts'
import { isRunning, type ProcessIdentity } from '../machine/process-identity.ts'

/** Records a stack's processes in start order, so that they can be stopped if its launcher dies. */
export const recordProcesses = (dir: string, children: ManagedProcess[]): void =>
  writePrivateFile(
    stackFiles(dir).processes,
    children.filter(child => !child.exitReason()).map(child => child.identity),
  )

/** Stops the processes that a killed launcher left, last started first. Returns their number. */
export async function stopOrphanedProcesses(dir: string): Promise<number> {
  const file = stackFiles(dir).processes
  if (!existsSync(file)) return 0
  const recorded: ProcessIdentity[] = JSON.parse(await readFile(file, 'utf8'))
  const orphans = recorded.filter(isRunning).reverse()
  for (const identity of orphans) await stopProcess(identity)
  await rm(file)
  return orphans.length
}

/** Sends SIGTERM, and kills the process group if the process is still running after 15 s. */
async function stopProcess(identity: ProcessIdentity): Promise<void> {
  process.kill(identity.pid, 'SIGTERM')
  if (await waitForExit(identity, 15_000)) return
  process.kill(-identity.pid, 'SIGKILL')
  await waitForExit(identity, 5_000)
}

/** Waits for a process that is not a child to exit. Returns false if it runs after `timeoutMs`. */
export async function waitForExit(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false
    await sleep(50)
  }
  return true
}
