import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Calls `attempt` until it returns something other than undefined or false, and returns that. An attempt that throws, as a
 * failed `expect` does, is made again; the last one's error is what the test shows when the time is over.
 */
export async function waitFor<T>(
  attempt: () => Promise<T> | T,
  { timeoutMs = 10_000, intervalMs = 25 }: { timeoutMs?: number; intervalMs?: number } = {},
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
    if (Date.now() >= deadline) throw failure ?? new Error(`What was waited for did not happen within ${timeoutMs} ms.`)
    await sleep(intervalMs)
  }
}
