import type { Emit } from '@cobro/database'
import type { Job } from './claim-jobs.ts'

type DeliveryEvent = 'webhook.delivered' | 'webhook.attempt_failed' | 'webhook.exhausted'

/** What an attempt came to, as its event tells it. */
export interface Told {
  attempt: number
  status_code: number | null
  error: string | null
}

/** Publishes what became of an attempt, under the lifecycle that its delivery belongs to. */
export function emitAttempt(emit: Emit, name: DeliveryEvent, job: Job, told: Told): void {
  const { delivery_id: id, webhook_id, event_id, merchant_id, correlation_id } = job
  const { attempt, status_code: response_status, error } = told
  emit(name, { id, webhook_id, event_id, attempt, response_status, error }, { merchant_id, correlation_id })
}

/** Publishes that a delivery is not made any more. */
export function emitCancelled(emit: Emit, job: Job): void {
  const { delivery_id: id, webhook_id, event_id, merchant_id, correlation_id } = job
  emit('webhook.cancelled', { id, webhook_id, event_id }, { merchant_id, correlation_id })
}
