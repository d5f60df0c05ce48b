import { userError } from '../machine/user-error.ts'
import { stopOrphanedProcesses, waitForExit } from './orphaned-processes.ts'
import { releaseStackLock, runningLauncher } from './stack-lock.ts'

/** A service has 40 s to finish its work, and the servers stop after the services. */
const stopTimeoutMs = 90_000

/** Stops a directory's stack, even if its launcher was killed. Returns whether anything ran. */
export async function stopStack(dir: string): Promise<boolean> {
  const launcher = runningLauncher(dir)
  if (launcher) {
    process.kill(launcher.pid, 'SIGTERM')
    if (!(await waitForExit(launcher, stopTimeoutMs)))
      throw userError(`The launcher (process ${launcher.pid}) does not stop: kill it, and run npm stop again.`)
    return true
  }
  const stopped = await stopOrphanedProcesses(dir)
  releaseStackLock(dir)
  return stopped > 0
}
