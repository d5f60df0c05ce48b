import { randomUUID } from 'node:crypto'
import { startInterval, type WakeSignal, wakeSignal } from '@cobro/runtime'
import { type ClaimedDelivery, claimSize } from '../delivery-queue/claim-deliveries.ts'
import { merchantCapacity } from '../delivery-queue/merchant-share.ts'
import { refreshEndpointQueues } from '../delivery-queue/refresh-endpoint-queues.ts'
import { requeueClaim } from '../delivery-queue/requeue-deliveries.ts'
import { openSendBudget, type SendBudget } from '../delivery-queue/send-budget.ts'
import type { EndpointWaker } from '../webhook-deliveries/request-delivery.ts'
import { type AttemptDeps, attemptDelivery, type Lease } from './attempt-delivery.ts'
import { claimSendable } from './claim-sendable.ts'
import { registerDeliveryMetrics } from './delivery-metrics.ts'
import { attemptRecorder } from './record-attempts.ts'

/** Sends deliveries. Any number of replicas can run one. */
export interface Sender extends EndpointWaker {
  /** Claims nothing more and waits for the deliveries in flight. */
  stop(): Promise<void>
}

/** What a sender keeps in memory. All of it may be lost: the database has the queue and clock. */
interface SenderState {
  wakeSignal: WakeSignal
  inFlight: Set<Promise<void>>
  /** How many deliveries of each merchant are in flight. */
  inFlightByMerchant: Map<string, number>
  budget: SendBudget
  /** Endpoints known to have deliveries due. */
  woken: Set<string>
  /** Endpoints that have as many deliveries in flight as they may have and more to send. */
  full: Set<string>
  /** Endpoints with deliveries that were left to a claim with events. */
  deferred: Set<string>
  /** A claim without a reply from the database. It is requeued before anything else is claimed. */
  unacknowledgedClaim?: string | undefined
}

const maxInFlight = 500
const pollMs = 250
const refreshMs = 1_000

/**
 * Starts sending due deliveries. The interval's task is one claim, not `claimAndProcess`:
 * that waits for the whole batch before it claims again, so one slow endpoint would delay all others.
 */
export function startSender(given: Omit<AttemptDeps, 'record'> & { sendsPerSecond: number }): Sender {
  const deps = { ...given, record: attemptRecorder(given) }
  const { db, logger } = deps
  const state: SenderState = {
    wakeSignal: wakeSignal(),
    inFlight: new Set(),
    inFlightByMerchant: new Map(),
    budget: openSendBudget(given.sendsPerSecond),
    woken: new Set(),
    full: new Set(),
    deferred: new Set(),
  }
  const claim = () => claimOnce(deps, state)
  const sending = startInterval(pollMs, 'claim webhook deliveries', claim, logger, state.wakeSignal)
  registerDeliveryMetrics(db)
  const refreshing = startInterval(refreshMs, 'refresh endpoint queues', () => refreshEndpointQueues(db), logger)
  return {
    wake: webhookIds => wake(state, webhookIds),
    stop: async () => {
      await Promise.all([sending.stop(), refreshing.stop()])
      await Promise.all(state.inFlight)
    },
  }
}

/** Claims and starts as many deliveries as fit. Returns whether there are probably more. */
async function claimOnce(deps: AttemptDeps, state: SenderState): Promise<boolean> {
  const capacity = maxInFlight - state.inFlight.size
  if (capacity <= 0) return false
  const maxEndpoints = Math.min(claimSize.maxEndpoints, capacity)
  const perEndpoint = Math.min(claimSize.maxPerEndpoint, Math.floor(capacity / maxEndpoints))
  if (state.unacknowledgedClaim) wake(state, await requeueClaim(deps, state.unacknowledgedClaim))
  const id = randomUUID()
  state.unacknowledgedClaim = id
  const woken = [...state.woken]
  state.woken.clear()
  const { leaseMs } = deps
  const leaseEndsAt = performance.now() + leaseMs
  const lease = { leftMs: () => leaseEndsAt - performance.now() }
  const limits = { id, maxEndpoints, maxPerEndpoint: perEndpoint, leaseMs, woken, capacity }
  const { inFlightByMerchant: inFlight, budget } = state
  const withEvents = state.deferred.size > 0
  const { deliveries, queues } = await claimSendable(deps, { ...limits, inFlight, budget }, withEvents)
  state.unacknowledgedClaim = undefined
  // What is deferred and not due any more was claimed by another replica.
  if (withEvents && queues.length < maxEndpoints) state.deferred.clear()
  for (const queue of queues) {
    toggle(state.full, queue.webhook_id, queue.full)
    toggle(state.deferred, queue.webhook_id, queue.deferred)
  }
  for (const delivery of deliveries) startAttempt(deps, state, delivery, lease)
  return queues.length === maxEndpoints || queues.some(queue => queue.more || queue.deferred) || state.woken.size > 0
}

function toggle(ids: Set<string>, id: string, isMember: boolean): void {
  if (isMember) ids.add(id)
  else ids.delete(id)
}

function startAttempt(deps: AttemptDeps, state: SenderState, delivery: ClaimedDelivery, lease: Lease): void {
  const { inFlight, inFlightByMerchant, full, wakeSignal } = state
  const { delivery_id, merchant_id, webhook_id } = delivery
  const attempt = attemptDelivery(deps, delivery, lease)
    .catch(error => deps.logger.error({ err: error, delivery_id }, 'webhook attempt not recorded'))
    .finally(() => {
      const own = inFlightByMerchant.get(merchant_id) ?? 0
      const wasAtLimit = merchantCapacity(maxInFlight - inFlight.size, own) === 0
      inFlight.delete(attempt)
      count(state, merchant_id, -1)
      if (full.has(webhook_id)) wake(state, [webhook_id])
      else if (wasAtLimit) wakeSignal.wake()
    })
  inFlight.add(attempt)
  count(state, merchant_id, 1)
  state.budget.spend(merchant_id)
}

function count({ inFlightByMerchant }: SenderState, merchantId: string, change: 1 | -1): void {
  const number = (inFlightByMerchant.get(merchantId) ?? 0) + change
  if (number === 0) inFlightByMerchant.delete(merchantId)
  else inFlightByMerchant.set(merchantId, number)
}

function wake({ woken, wakeSignal }: SenderState, webhookIds: Iterable<string>): void {
  for (const id of webhookIds) woken.add(id)
  wakeSignal.wake()
}
