import { describeError } from './user-error.ts'

/** Runs a command of the launcher. Its answer is the exit code; a fault is shown, as a sentence where it is one, and makes it 1. */
export async function runCli(work: () => Promise<number | undefined>): Promise<never> {
  // A closed terminal must not end a task that still has something to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  try {
    process.exit((await work()) ?? 0)
  } catch (error) {
    console.error(describeError(error))
    process.exit(1)
  }
}

/** Aborts at the first signal that asks this process to end. */
export function terminationSignal(): AbortSignal {
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
  return ending.signal
}

/** Waits for a signal to abort. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
