import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@cobro/runtime'
import type { SpooledCall } from './spooled-call.ts'

const firstWaitMs = 100
const longestWaitMs = 2000

/** Resolves once the broker has taken the call's event, rejects when that is not sure. It must do one of them. */
export type Publish = (call: SpooledCall) => Promise<void>

/**
 * Makes a function that publishes a call until it is confirmed, with growing waits. It gives false if `stopping` came
 * before. Says once that the broker is away, and once that it is back.
 */
export function publishUntilConfirmed(publish: Publish, logger: Logger, stopping: AbortSignal) {
  let away = false
  return async (call: SpooledCall): Promise<boolean> => {
    for (let waitMs = firstWaitMs; !stopping.aborted; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      try {
        await publish(call)
        if (away) logger.info('the broker takes http.request events again')
        away = false
        return true
      } catch (error) {
        if (!away) logger.warn({ err: error }, 'the broker takes no http.request events; they wait in the spool')
        away = true
        await pause(waitMs, stopping)
      }
    }
    return false
  }
}

/** Waits, but not past the stop. */
export async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => undefined)
}
