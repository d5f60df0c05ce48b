import { deliveryStatuses, type EventName } from '@cobro/contracts'

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Everything that can happen to a delivery. */
export const deliveryChanges = [
  /** A sender leased it for an attempt. */
  'claimed',
  /** A sender leased it after the lease of a sender that died had expired. The attempt of that sender counts as failed. */
  'reclaimed',
  /** A sender gave up its lease before it sent anything. */
  'requeued',
  /** The endpoint answered with a 2xx. */
  'succeeded',
  /** The attempt failed, and another one follows. */
  'retry',
  /** The attempt failed, and no other one follows because the endpoint is disabled or deleted. */
  'retry_cancelled',
  /** The last attempt failed. */
  'exhausted',
  /** The only attempt of a test or redelivery failed. */
  'failed',
  /** The endpoint answered 410. */
  'gone',
  /** A sender leased it, but the endpoint is disabled or deleted. */
  'cancelled_unsent',
  /** A sender leased it, but senders that died have used up all attempts. */
  'exhausted_unsent',
  /** The same for a test or redelivery. */
  'failed_unsent',
  /** A caller cancelled it, or its endpoint was disabled or deleted. */
  'cancelled',
  /** A caller requested one more attempt. */
  'redelivered',
  /** A caller removed it from the list. */
  'hidden',
] as const

export type DeliveryChange = (typeof deliveryChanges)[number]

export interface DeliveryTransition {
  to: DeliveryStatus
  emits: readonly Extract<EventName, `webhook.${string}`>[]
}

/** Every transition, by the status it starts from. SQL that sets or compares a status takes it from here. */
export const deliveryTransitions = {
  pending: {
    claimed: { to: 'delivering', emits: [] },
    cancelled: { to: 'cancelled', emits: ['webhook.cancelled'] },
  },
  delivering: {
    reclaimed: { to: 'delivering', emits: ['webhook.attempt_failed'] },
    requeued: { to: 'pending', emits: [] },
    succeeded: { to: 'succeeded', emits: ['webhook.delivered'] },
    retry: { to: 'pending', emits: ['webhook.attempt_failed'] },
    retry_cancelled: { to: 'cancelled', emits: ['webhook.attempt_failed', 'webhook.cancelled'] },
    exhausted: { to: 'exhausted', emits: ['webhook.attempt_failed', 'webhook.exhausted'] },
    failed: { to: 'failed', emits: ['webhook.attempt_failed'] },
    gone: { to: 'failed', emits: ['webhook.attempt_failed'] },
    cancelled_unsent: { to: 'cancelled', emits: ['webhook.cancelled'] },
    exhausted_unsent: { to: 'exhausted', emits: ['webhook.exhausted'] },
    failed_unsent: { to: 'failed', emits: [] },
  },
  succeeded: ended('succeeded'),
  failed: ended('failed'),
  exhausted: ended('exhausted'),
  cancelled: ended('cancelled'),
} as const satisfies Record<DeliveryStatus, Partial<Record<DeliveryChange, DeliveryTransition>>>

function ended<S extends DeliveryStatus>(status: S) {
  return {
    redelivered: { to: 'pending', emits: ['webhook.redelivered'] },
    hidden: { to: status, emits: ['webhook.deleted'] },
  } as const
}

type EndedStatus = Exclude<DeliveryStatus, 'pending' | 'delivering'>

/** Whether a delivery has ended: nothing more is sent unless a caller requests it. */
export const hasEnded = (status: DeliveryStatus): status is EndedStatus => 'redelivered' in deliveryTransitions[status]

/** The statuses of deliveries that have ended, as an SQL list. */
export const endedStatusesSql = deliveryStatuses
  .filter(hasEnded)
  .map(status => `'${status}'`)
  .join(', ')
