import type { ServiceName } from '../layout/stack-layout.ts'
import type { Child } from '../machine/managed-process.ts'
import { awaitService, launchService, type ServiceProgram } from './service-program.ts'

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
  onLaunch: (child: Child) => void
  /** A process ended though nobody asked it to. */
  onCrash: (name: ServiceName, ending: string) => void
  signal: AbortSignal
}

/** The handle of a service that is not started yet. */
export function serviceProcess(program: ServiceProgram, { onLaunch, onCrash, signal }: ServiceHooks): ServiceProcess {
  let child: Child | undefined
  let askedToEnd = false
  const launch = async () => {
    askedToEnd = false
    const launched = await launchService(program)
    child = launched
    onLaunch(launched)
    await awaitService(launched, program, signal)
    void launched.exited.then(() => askedToEnd || onCrash(program.name, launched.ending() ?? 'ended'))
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
      if (!child || child.ending()) await launch()
    },
    stop: async () => {
      askedToEnd = true
      await child?.stop()
    },
  }
}
