import type { StackServiceName } from '../layout/stack-layout.ts'
import { type ManagedProcess, waitUntilReady } from '../machine/managed-process.ts'
import { isReady, type ServiceProgram, startService } from './service-program.ts'

/** A service of a running stack, which tests can kill, stop and start again. */
export interface ServiceProcess {
  readonly pid: number
  /** Sends a signal. Waits for the exit if it is SIGKILL. */
  kill: (signal?: NodeJS.Signals) => Promise<void>
  /** Starts the service unless it is running, and waits until it is ready. */
  start: () => Promise<void>
  /** Sends SIGTERM and waits for the exit. */
  stop: () => Promise<void>
}

/** Callbacks for the starts and crashes of a service. */
export interface ServiceHooks {
  onStart: (child: ManagedProcess) => void
  /** Called when a process exits that was not stopped or killed here. */
  onCrash: (name: StackServiceName, exitReason: string) => void
  signal: AbortSignal
}

/** Creates the handle of a service without starting it. */
export function serviceProcess(program: ServiceProgram, { onStart, onCrash, signal }: ServiceHooks): ServiceProcess {
  let child: ManagedProcess | undefined
  let stopping = false
  const launch = async () => {
    signal.throwIfAborted()
    stopping = false
    const launched = await startService(program)
    child = launched
    onStart(launched)
    const { url, logFile } = program
    await waitUntilReady(launched, { isReady: () => isReady(url), logFile, signal })
    void launched.exited.then(() => stopping || onCrash(program.name, launched.exitReason() ?? 'exited'))
  }
  return {
    get pid() {
      return child?.pid ?? 0
    },
    kill: async (name = 'SIGKILL') => {
      stopping = true
      child?.kill(name)
      if (name === 'SIGKILL') await child?.exited
    },
    start: async () => {
      if (!child || child.exitReason()) await launch()
    },
    stop: async () => {
      stopping = true
      await child?.stop()
    },
  }
}
