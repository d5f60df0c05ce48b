import { userError } from '../machine/user-error.ts'
import { ended, stopOrphanedProcesses } from './orphaned-processes.ts'
import { releaseStackLock, runningLauncher } from './stack-lock.ts'

/** A service has 40 s to finish its work, and the servers stop after the services. */
const stopWithinMs = 90_000

/** Stops the stack of a folder, also one whose launcher was killed. Returns whether there was something to stop. */
export async function stopStack(dir: string): Promise<boolean> {
  const launcher = runningLauncher(dir)
  if (launcher) {
    process.kill(launcher.pid, 'SIGTERM')
    if (!(await ended(launcher, stopWithinMs)))
      throw userError(`The launcher (process ${launcher.pid}) does not stop: end it, and run npm stop again.`)
    return true
  }
  const left = await stopOrphanedProcesses(dir)
  releaseStackLock(dir)
  return left > 0
}
