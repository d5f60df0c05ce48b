import type { Database, Emit, Tx } from '@cobro/database'
import {
  type Claim,
  type ClaimedDelivery,
  type ClaimLimits,
  claimDeliveries,
} from '../delivery-queue/claim-deliveries.ts'
import { deliveryTransitions } from '../delivery-queue/delivery-states.ts'
import { countExhausted } from '../webhooks/disable-endpoint.ts'
import type { AttemptDeps } from './attempt-delivery.ts'
import { emitTransition, unknownAttempt } from './delivery-events.ts'
import { maxAttempts } from './retry-policy.ts'

type ClaimDeps = Pick<AttemptDeps, 'db' | 'retryDelaysMs' | 'failpoint'>
type Limits = Omit<ClaimLimits, 'maxAttempts'>
type UnsentChange = 'cancelled_unsent' | 'exhausted_unsent' | 'failed_unsent'

const { delivering } = deliveryTransitions

/**
 * Claims due deliveries in one statement and returns those to send. Defers those whose claim emits events, unless
 * `withEvents` is set: then it takes a transaction, in which those that are not sent end.
 */
export function claimSendable(deps: ClaimDeps, limits: Limits, withEvents: boolean): Promise<Claim> {
  const all = { ...limits, maxAttempts: maxAttempts(deps.retryDelaysMs) }
  return withEvents ? claimWithEvents(deps, all) : claimDeliveries({ execute: deps.db.execute, withEvents }, all)
}

function claimWithEvents({ db, retryDelaysMs, failpoint }: ClaimDeps, limits: ClaimLimits): Promise<Claim> {
  return db.write(async (tx, emit) => {
    const execute: Database['execute'] = (sql, params = []) => tx.execute(sql, [...params])
    const { deliveries, queues } = await claimDeliveries({ execute, withEvents: true }, limits)
    const sendable: ClaimedDelivery[] = []
    for (const delivery of deliveries) {
      const before = unknownAttempt(delivery.attempt - 1)
      if (delivery.abandoned) emitTransition(emit, delivering.reclaimed, delivery, before)
      const change = unsentChange(delivery, retryDelaysMs)
      if (change) await endUnsentDelivery(tx, emit, delivery, change)
      else sendable.push(delivery)
    }
    if (deliveries.length > 0) await failpoint('claimed')
    return { deliveries: sendable, queues }
  })
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

/** Ends a claimed delivery without making the attempt it was claimed for. */
async function endUnsentDelivery(tx: Tx, emit: Emit, delivery: ClaimedDelivery, change: UnsentChange): Promise<void> {
  await tx.execute(endDelivery, [delivery.delivery_id, delivering[change].to])
  emitTransition(emit, delivering[change], delivery, unknownAttempt(delivery.attempt - 1))
  if (change === 'exhausted_unsent') await countExhausted(tx, emit, delivery, new Date())
}

const endDelivery = `
  with job as (delete from webhooks.jobs where delivery_id = ? returning delivery_id, attempt)
  update webhooks.deliveries d set status = ?, attempt_count = job.attempt - 1 from job where d.id = job.delivery_id`
