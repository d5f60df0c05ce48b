import type { Emit, Tx } from '@cobro/database'
import type { ClaimedDelivery } from '../delivery-queue/claim-deliveries.ts'
import { deliveryTransitions } from '../delivery-queue/delivery-states.ts'
import { countExhausted } from '../webhooks/disable-endpoint.ts'
import { emitTransition, unknownAttempt } from './delivery-events.ts'

export type UnsentChange = 'cancelled_unsent' | 'exhausted_unsent' | 'failed_unsent'

/** Ends a claimed delivery without making the attempt it was claimed for. */
export async function endUnsentDelivery(
  tx: Tx,
  emit: Emit,
  delivery: ClaimedDelivery,
  change: UnsentChange,
): Promise<void> {
  const transition = deliveryTransitions.delivering[change]
  await tx.execute(endDelivery, [delivery.delivery_id, transition.to])
  emitTransition(emit, transition, delivery, unknownAttempt(delivery.attempt - 1))
  if (change === 'exhausted_unsent') await countExhausted(tx, emit, delivery, new Date())
}

const endDelivery = `
  with job as (delete from webhooks.jobs where delivery_id = ? returning delivery_id, attempt)
  update webhooks.deliveries d set status = ?, attempt_count = job.attempt - 1 from job where d.id = job.delivery_id`
