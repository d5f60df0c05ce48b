import type { Forwarded } from './forward-event.ts'

/** The delays before the second, third, … attempt of a webhook, as deployments have them by default. */
export const retryDelaysMs: readonly number[] = [30_000, 120_000, 600_000, 3_600_000]

const longestRetryAfterMs = 3_600_000

/** What follows an attempt to forward an event. */
export type NextStep = 'delivered' | 'given up' | { delayMs: number }

/**
 * Decides what follows an attempt, as for webhooks: any 2xx is a success, 410 ends, and everything else is sent again after
 * the delay, or after a longer `Retry-After`, while attempts are left. Without a time scale an event is sent once.
 */
export function nextStep(
  { status, retry_after }: Pick<Forwarded, 'status' | 'retry_after'>,
  { attempts, timeScale, nowMs }: { attempts: number; timeScale: number | undefined; nowMs: number },
): NextStep {
  if (status !== null && status >= 200 && status < 300) return 'delivered'
  const delayMs = retryDelaysMs[attempts - 1]
  if (status === 410 || delayMs === undefined || timeScale === undefined) return 'given up'
  return { delayMs: timeScale * Math.max(delayMs, retryAfterMs(status, retry_after, nowMs)) }
}

function retryAfterMs(status: number | null, header: string | undefined, nowMs: number): number {
  if (header === undefined || (status !== 429 && status !== 503)) return 0
  const delayMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(delayMs) ? 0 : Math.min(delayMs, longestRetryAfterMs)
}
