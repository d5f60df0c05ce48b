import type { Database, Emit, Tx } from '@cobro/database'
import {
  type Claim,
  type ClaimedDelivery,
  type ClaimLimits,
  claimDeliveries,
} from '../delivery-queue/claim-deliveries.ts'
import { deliveryTransitions } from '../delivery-queue/delivery-states.ts'
import type { ReachFailpoint } from '../delivery-queue/failpoints.ts'
import { emitTransition, unknownAttempt } from './delivery-events.ts'
import { endUnsentDelivery, type UnsentChange } from './end-unsent-delivery.ts'
import { maxAttempts } from './retry-policy.ts'

interface ClaimDeps {
  db: Database
  retryDelaysMs: readonly number[]
  failpoint: ReachFailpoint
}

/** Claims due deliveries and returns those to send. The others end in the same transaction. */
export function claimSendable({ db, retryDelaysMs, failpoint }: ClaimDeps, limits: ClaimLimits): Promise<Claim> {
  return db.write(async (tx, emit) => {
    const { deliveries, queues } = await claimDeliveries(tx, limits)
    const sendable: ClaimedDelivery[] = []
    for (const delivery of deliveries) if (await isSendable(tx, emit, delivery, retryDelaysMs)) sendable.push(delivery)
    if (deliveries.length > 0) await failpoint('claimed')
    return { deliveries: sendable, queues }
  })
}

async function isSendable(
  tx: Tx,
  emit: Emit,
  delivery: ClaimedDelivery,
  retryDelaysMs: readonly number[],
): Promise<boolean> {
  if (delivery.abandoned) {
    emitTransition(emit, deliveryTransitions.delivering.reclaimed, delivery, unknownAttempt(delivery.attempt - 1))
  }
  const change = unsentChange(delivery, retryDelaysMs)
  if (change) await endUnsentDelivery(tx, emit, delivery, change)
  return change === undefined
}

/** Returns why a claimed delivery is not sent, or undefined if it is. */
function unsentChange(
  { endpoint_status, attempt, one_shot_after }: ClaimedDelivery,
  retryDelaysMs: readonly number[],
): UnsentChange | undefined {
  // The endpoint may have been disabled or deleted while the event was fanned out.
  if (endpoint_status !== 'active') return 'cancelled_unsent'
  // A test or redelivery whose sender died is sent again, within the same limit.
  if (attempt - (one_shot_after ?? 0) <= maxAttempts(retryDelaysMs)) return undefined
  return one_shot_after === null ? 'exhausted_unsent' : 'failed_unsent'
}
