import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Calls `attempt` until it returns something other than undefined or false, and returns that.
 * Retries if it throws, for example because an `expect` fails. Throws the last error after the timeout, which ends a
 * test that hangs and is long because machines differ: a test that promises a time measures it.
 */
export async function waitFor<T>(
  attempt: () => Promise<T> | T,
  { timeoutMs = 180_000, intervalMs = 25 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Exclude<T, undefined | false>> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    let failure: unknown
    try {
      const value = await attempt()
      if (value !== undefined && value !== false) return value as Exclude<T, undefined | false>
    } catch (error) {
      failure = error
    }
    if (Date.now() >= deadline) throw failure ?? new Error(`The condition was not met within ${timeoutMs} ms.`)
    await sleep(intervalMs)
  }
}

/** Waits until `read` returns the same value twice, a quarter of a second apart. */
export async function waitUntilStill(read: () => unknown): Promise<void> {
  let before: unknown
  await waitFor(
    () => {
      const value = read()
      const isStill = value === before
      before = value
      return isStill
    },
    { intervalMs: 250 },
  )
}
