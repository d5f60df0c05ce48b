import { randomUUID } from 'node:crypto'
import { startInterval, type WakeSignal, wakeSignal } from '@cobro/runtime'
import { type ClaimedDelivery, claimSize } from '../delivery-queue/claim-deliveries.ts'
import { claimableByMerchant, merchantCapacity } from '../delivery-queue/merchant-share.ts'
import { refreshEndpointQueues } from '../delivery-queue/refresh-endpoint-queues.ts'
import { requeueClaim } from '../delivery-queue/requeue-deliveries.ts'
import { openSendBudget, type SendBudget } from '../delivery-queue/send-budget.ts'
import type { DirectClaim, FannedOut } from '../webhook-deliveries/fan-out-events.ts'
import type { EndpointWaker } from '../webhook-deliveries/request-delivery.ts'
import { type AttemptDeps, attemptDelivery, type Lease } from './attempt-delivery.ts'
import { claimSendable } from './claim-sendable.ts'
import { type ClaimTurns, claimTurns } from './claim-turns.ts'
import { registerDeliveryMetrics } from './delivery-metrics.ts'
import { attemptRecorder } from './record-attempts.ts'
import { type UnacknowledgedClaims, unacknowledgedClaims } from './unacknowledged-claims.ts'

/** Sends deliveries. Any number of replicas can run one. */
export interface Sender extends EndpointWaker {
  /**
   * Fans events out, and sends at once what `fanOut` leased with the claim that it gets. Waits for a claim of this process,
   * which holds the locks of endpoint queues (ADR 94). `fanOut` gets no claim if that takes long, if the capacity
   * is scarce, or after a claim without a reply, until that cannot be committed any more.
   */
  sendNew(fanOut: (claim: DirectClaim | undefined) => Promise<FannedOut>): Promise<void>
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
  /** Endpoints that are woken in the next second, because the budget of their merchant is spent. */
  postponed: Set<string>
  unacknowledged: UnacknowledgedClaims
  turns: ClaimTurns
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
  const requeue = async (id: string) => wake(state, await requeueClaim(deps, id))
  const state: SenderState = {
    wakeSignal: wakeSignal(),
    inFlight: new Set(),
    inFlightByMerchant: new Map(),
    budget: openSendBudget(given.sendsPerSecond),
    woken: new Set(),
    full: new Set(),
    deferred: new Set(),
    postponed: new Set(),
    unacknowledged: unacknowledgedClaims(requeue),
    turns: claimTurns(),
  }
  const claim = () => state.turns.take(() => claimOnce(deps, state))
  const sending = startInterval(pollMs, 'claim webhook deliveries', claim, logger, state.wakeSignal)
  registerDeliveryMetrics(db)
  const refreshing = startInterval(refreshMs, 'refresh endpoint queues', () => refreshEndpointQueues(db), logger)
  return {
    wake: webhookIds => wake(state, webhookIds),
    sendNew: fanOut => sendNew(deps, state, fanOut),
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
  await state.unacknowledged.requeueDue()
  const woken = [...state.woken]
  state.woken.clear()
  const { inFlightByMerchant: inFlight, budget } = state
  const withEvents = state.deferred.size > 0
  const limits = { maxEndpoints, maxPerEndpoint: perEndpoint, leaseMs: deps.leaseMs, woken, capacity, inFlight, budget }
  const { queues } = await startClaimed(deps, state, id => claimSendable(deps, { ...limits, id }, withEvents))
  // What is deferred and not due any more was claimed by another replica.
  if (withEvents && queues.length < maxEndpoints) state.deferred.clear()
  for (const queue of queues) {
    toggle(state.full, queue.webhook_id, queue.full)
    toggle(state.deferred, queue.webhook_id, queue.deferred)
  }
  return queues.length === maxEndpoints || queues.some(queue => queue.more || queue.deferred) || state.woken.size > 0
}

async function sendNew(deps: AttemptDeps, state: SenderState, fanOut: Parameters<Sender['sendNew']>[0]): Promise<void> {
  const leased = await state.turns.takeAlone(() => fanOutAndLease(deps, state, fanOut))
  const { woken } = leased ?? (await fanOut(undefined))
  wake(state, woken)
}

/** Does nothing, and returns undefined, if this process may not lease more now. */
async function fanOutAndLease(
  deps: AttemptDeps,
  state: SenderState,
  fanOut: Parameters<Sender['sendNew']>[0],
): Promise<FannedOut | undefined> {
  const { inFlight, inFlightByMerchant, budget, woken, unacknowledged } = state
  const { leaseMs } = deps
  const capacity = maxInFlight - inFlight.size
  // What is left is for endpoints that wait already.
  const isScarce = capacity < maxInFlight / 2 && woken.size > 0
  if (capacity <= 0 || isScarce || unacknowledged.some()) return undefined
  const claimable = claimableByMerchant({ free: capacity, inFlight: inFlightByMerchant, budget })
  return startClaimed(deps, state, id => fanOut({ id, leaseMs, capacity, claimable }))
}

/** Runs a claim under a new id, and starts the attempts of its deliveries. */
async function startClaimed<C extends { deliveries: ClaimedDelivery[] }>(
  deps: AttemptDeps,
  state: SenderState,
  claim: (id: string) => Promise<C>,
): Promise<C> {
  const id = randomUUID()
  const leaseEndsAt = performance.now() + deps.leaseMs
  const lease = { leftMs: () => leaseEndsAt - performance.now() }
  const claimed = await claim(id).catch((error: unknown) => {
    state.unacknowledged.add(id)
    throw error
  })
  for (const delivery of claimed.deliveries) startAttempt(deps, state, delivery, lease)
  return claimed
}

function toggle(ids: Set<string>, id: string, isMember: boolean): void {
  if (isMember) ids.add(id)
  else ids.delete(id)
}

function startAttempt(deps: AttemptDeps, state: SenderState, delivery: ClaimedDelivery, lease: Lease): void {
  const { inFlight, inFlightByMerchant, full, wakeSignal } = state
  const { merchant_id, webhook_id } = delivery
  const attempt = attemptDelivery(deps, delivery, lease).finally(() => {
    const own = inFlightByMerchant.get(merchant_id) ?? 0
    const wasAtLimit = merchantCapacity(maxInFlight - inFlight.size, own) === 0
    inFlight.delete(attempt)
    count(state, merchant_id, -1)
    if (full.has(webhook_id)) wake(state, [webhook_id])
    if (wasAtLimit) wakeSignal.wake()
  })
  inFlight.add(attempt)
  count(state, merchant_id, 1)
  state.budget.spend(merchant_id, webhook_id)
}

function count({ inFlightByMerchant }: SenderState, merchantId: string, change: 1 | -1): void {
  const number = (inFlightByMerchant.get(merchantId) ?? 0) + change
  if (number === 0) inFlightByMerchant.delete(merchantId)
  else inFlightByMerchant.set(merchantId, number)
}

/** Endpoints whose merchant has spent its budget are woken in the next second: until then each claim for them would find nothing. */
function wake(state: SenderState, webhookIds: readonly string[]): void {
  const { woken, postponed, budget, wakeSignal } = state
  const spent = new Set(webhookIds.filter(budget.isSpentFor))
  const due = webhookIds.filter(id => !spent.has(id))
  for (const id of due) woken.add(id)
  if (due.length > 0) wakeSignal.wake()
  if (spent.size > 0 && postponed.size === 0) setTimeout(() => wakePostponed(state), timerMs(budget.leftMs())).unref()
  for (const id of spent) postponed.add(id)
}

function wakePostponed(state: SenderState): void {
  const ids = [...state.postponed]
  state.postponed.clear()
  wake(state, ids)
}

/** Returns what to give to a timer, which may otherwise fire up to two milliseconds early. */
const timerMs = (ms: number) => Math.ceil(ms) + 2
