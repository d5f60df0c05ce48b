import type { LifecycleEvent } from '@cobro/sdk/admin'
import { type DetailScreenOf, screenOf } from '../address/destination.ts'
import type { TimelineTexts } from '../text/timeline-texts.ts'
import { isCall } from './timeline-rows.ts'

type Caused = Pick<LifecycleEvent, 'action' | 'actor_type' | 'request_id' | 'target_id'>

/** Who calls with a credential of the merchant: their calls alone are among its requests. */
const ofMerchant = ['key', 'client']

/**
 * Returns the screen that an event leads to: a call to its request, and any other event to its object. Undefined where there is
 * none, and for the object whose timeline it is.
 */
export function screenOfEvent(event: Caused, shown: string): DetailScreenOf | undefined {
  const { actor_type, request_id, target_id } = event
  const id = isCall(event) ? (ofMerchant.includes(actor_type) ? request_id : null) : target_id
  return id === null || id === shown ? undefined : screenOf(id)
}

/**
 * What takes money or gives it back. A dispute also is a chargeback of the payment, which says the amount of the payment instead.
 * One that is reported as won at once is both opened and won, which is nothing in sum.
 */
const movesMoney = ['payment.approved', 'payment.refunded', 'dispute.opened', 'dispute.won', 'dispute.withdrawn']

/** Returns what an event moved; undefined for one that moved nothing, or does not say how much. */
export function movedBy(
  event: Pick<LifecycleEvent, 'action' | 'amount_cents' | 'currency'>,
): { cents: number; currency: string } | undefined {
  const { action, amount_cents: cents, currency } = event
  return movesMoney.includes(action) && cents !== null && currency !== null ? { cents, currency } : undefined
}

/** Attempts to deliver a webhook. One that was the last also is given up, for the same reason. */
const attempts = ['webhook.delivered', 'webhook.attempt_failed']

/**
 * Returns what there is to say of an event besides its name: why a payment was declined or failed, or how an attempt to deliver
 * a webhook ended. A reason without words is shown as it is.
 */
export function noteOf(
  { action, metadata }: Pick<LifecycleEvent, 'action' | 'metadata'>,
  texts: TimelineTexts,
  reasons: Readonly<Record<string, string>>,
): string | undefined {
  const { decline_reason, response_status, error, duration_ms } = metadata ?? {}
  if (typeof decline_reason === 'string') return reasons[decline_reason] ?? decline_reason
  if (!attempts.includes(action)) return undefined
  if (typeof error === 'string') return timed(texts.errors[error] ?? error, duration_ms)
  if (typeof response_status !== 'number') return undefined
  return timed(action === 'webhook.delivered' ? `${response_status}` : texts.answered(response_status), duration_ms)
}

/** Returns what happened with how long it took, if that is known. */
export function timed(what: string, durationMs: unknown): string {
  return typeof durationMs === 'number' ? `${what} · ${durationMs} ms` : what
}

/** Returns the path of a call with its ids shortened in the middle, so that the line is short. */
export function shortPath(path: string): string {
  return path.replaceAll(/\b([a-z]+_\w{4})\w{18}(\w{4})\b/g, '$1…$2')
}
