import { setTimeout } from 'node:timers/promises'

/** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined)
}
