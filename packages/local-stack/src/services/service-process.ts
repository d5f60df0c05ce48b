import type { StackServiceName } from '../layout/stack-layout.ts'
import type { ManagedProcess } from '../machine/managed-process.ts'
import { type ServiceProgram, startService, waitUntilServiceReady } from './service-program.ts'

/** One service of a running stack, as tests handle it: killed, stopped, started again. */
export interface ServiceProcess {
  readonly pid: number
  /** Sends a signal; after SIGKILL, waits until the process is gone. */
  kill: (signal?: NodeJS.Signals) => Promise<void>
  /** Starts the service unless it runs, and waits until it is ready. */
  start: () => Promise<void>
  /** Asks it to finish its work, and waits until it has ended. */
  stop: () => Promise<void>
}

/** Who is told about a service's comings and goings. */
export interface ServiceHooks {
  onStart: (child: ManagedProcess) => void
  /** A process ended though nobody asked it to. */
  onCrash: (name: StackServiceName, ending: string) => void
  signal: AbortSignal
}

/** The handle of a service that is not started yet. */
export function serviceProcess(program: ServiceProgram, { onStart, onCrash, signal }: ServiceHooks): ServiceProcess {
  let child: ManagedProcess | undefined
  let askedToEnd = false
  const launch = async () => {
    askedToEnd = false
    const launched = await startService(program)
    child = launched
    onStart(launched)
    await waitUntilServiceReady(launched, program, signal)
    void launched.exited.then(() => askedToEnd || onCrash(program.name, launched.exitReason() ?? 'ended'))
  }
  return {
    get pid() {
      return child?.pid ?? 0
    },
    kill: async (name = 'SIGKILL') => {
      askedToEnd = true
      child?.kill(name)
      if (name === 'SIGKILL') await child?.exited
    },
    start: async () => {
      if (!child || child.exitReason()) await launch()
    },
    stop: async () => {
      askedToEnd = true
      await child?.stop()
    },
  }
}
