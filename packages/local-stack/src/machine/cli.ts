import { describeError } from './user-error.ts'

/** Runs a command and exits with its code, or prints its error and exits with 1. */
export async function runCli(run: () => Promise<number>): Promise<never> {
  // A closed terminal must not end a command that still has processes to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  try {
    process.exit(await run())
  } catch (error) {
    console.error(describeError(error))
    process.exit(1)
  }
}

/** Returns an AbortSignal that aborts at the first SIGINT, SIGTERM or SIGHUP. */
export function terminationSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  return controller.signal
}

/** Resolves when the signal aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
