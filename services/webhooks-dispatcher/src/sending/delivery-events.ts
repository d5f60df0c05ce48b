import type { Emit } from '@cobro/database'
import type { ClaimedDelivery } from '../delivery-queue/claim-deliveries.ts'
import type { deliveryTransitions } from '../delivery-queue/delivery-states.ts'

type Transition = (typeof deliveryTransitions.delivering)[keyof typeof deliveryTransitions.delivering]

/** An attempt as its events describe it. */
export interface AttemptSummary {
  attempt: number
  status_code: number | null
  error: string | null
  duration_ms: number | null
}

/** Summarizes an attempt whose sender died, so that its result is unknown. */
export function unknownAttempt(attempt: number): AttemptSummary {
  return { attempt, status_code: null, error: 'unknown', duration_ms: null }
}

/** Emits the events of a transition with the correlation id of the delivery. */
export function emitTransition(
  emit: Emit,
  { emits }: Transition,
  delivery: ClaimedDelivery,
  { attempt, status_code: response_status, error, duration_ms }: AttemptSummary,
): void {
  const { delivery_id: id, webhook_id, event_id, merchant_id, correlation_id } = delivery
  const data = { id, webhook_id, event_id, attempt, response_status, error, duration_ms }
  for (const name of emits) emit(name, data, { merchant_id, correlation_id })
}
