import { deliveryStatuses, type EventName } from '@cobro/contracts'

export type DeliveryStatus = (typeof deliveryStatuses)[number]

interface DeliveryTransition {
  to: DeliveryStatus
  emits: readonly Extract<EventName, `webhook.${string}`>[]
}

/** Every transition by initial status and cause. SQL that sets or compares a status uses these. */
export const deliveryTransitions = {
  pending: {
    /** A sender leased it for an attempt. */
    claimed: { to: 'delivering', emits: [] },
    /** A caller cancelled it, or its endpoint was disabled or deleted. */
    cancelled: { to: 'cancelled', emits: ['webhook.cancelled'] },
  },
  delivering: {
    /** A sender leased it after another sender died, whose attempt counts as failed. */
    reclaimed: { to: 'delivering', emits: ['webhook.attempt_failed'] },
    /** A sender gave up its lease before it sent anything. */
    requeued: { to: 'pending', emits: [] },
    /** The endpoint answered with a 2xx. */
    succeeded: { to: 'succeeded', emits: ['webhook.delivered'] },
    /** The attempt failed, and another one follows. */
    retry: { to: 'pending', emits: ['webhook.attempt_failed'] },
    /** The attempt failed, and no other one follows because the endpoint is disabled or deleted. */
    retry_cancelled: { to: 'cancelled', emits: ['webhook.attempt_failed', 'webhook.cancelled'] },
    /** The last attempt failed. */
    exhausted: { to: 'exhausted', emits: ['webhook.attempt_failed', 'webhook.exhausted'] },
    /** The only attempt of a test or redelivery failed. */
    failed: { to: 'failed', emits: ['webhook.attempt_failed'] },
    /** The endpoint answered 410. */
    gone: { to: 'failed', emits: ['webhook.attempt_failed'] },
    /** A sender leased it, but the endpoint is disabled or deleted. */
    cancelled_unsent: { to: 'cancelled', emits: ['webhook.cancelled'] },
    /** A sender leased it, but senders that died have used up all attempts. */
    exhausted_unsent: { to: 'exhausted', emits: ['webhook.exhausted'] },
    /** The same for a test or redelivery. */
    failed_unsent: { to: 'failed', emits: [] },
  },
  succeeded: ended('succeeded'),
  failed: ended('failed'),
  exhausted: ended('exhausted'),
  cancelled: ended('cancelled'),
} as const satisfies Record<DeliveryStatus, Record<string, DeliveryTransition>>

function ended<S extends DeliveryStatus>(status: S) {
  return {
    /** A caller requested one more attempt. */
    redelivered: { to: 'pending', emits: ['webhook.redelivered'] },
    /** A caller removed it from the list. */
    hidden: { to: status, emits: ['webhook.deleted'] },
  } as const
}

type EndedStatus = Exclude<DeliveryStatus, 'pending' | 'delivering'>

/** Returns whether a delivery has ended: nothing more is sent unless a caller requests it. */
export const hasEnded = (status: DeliveryStatus): status is EndedStatus => 'redelivered' in deliveryTransitions[status]

/** The statuses of deliveries that have ended, as an SQL list. */
export const endedStatusesSql = deliveryStatuses
  .filter(hasEnded)
  .map(status => `'${status}'`)
  .join(', ')
