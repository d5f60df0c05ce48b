import { type Logger, sleepUnlessAborted } from '@cobro/runtime'
import type { CallBatch } from './spooled-call.ts'

const minBackoffMs = 100
const maxBackoffMs = 2000

/** Resolves once the broker has confirmed the events of the calls; rejects if that is uncertain. */
export type Publish = (calls: CallBatch) => Promise<void>

/**
 * Returns a function that publishes calls with exponential backoff until the broker confirms them,
 * or returns false if `stopping` aborts first. Logs once when the broker becomes unavailable and once when it is back.
 */
export function publishUntilConfirmed(publish: Publish, logger: Logger, stopping: AbortSignal) {
  let away = false
  return async (calls: CallBatch): Promise<boolean> => {
    for (let backoffMs = minBackoffMs; !stopping.aborted; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
      try {
        await publish(calls)
        if (away) logger.info('the broker accepts http.request events again')
        away = false
        return true
      } catch (error) {
        if (!away) logger.warn({ err: error }, 'the broker accepts no http.request events; they wait in the spool')
        away = true
        await sleepUnlessAborted(backoffMs, stopping)
      }
    }
    return false
  }
}
