import { randomUUID } from 'node:crypto'
import { startInterval, type WakeSignal, wakeSignal } from '@cobro/runtime'
import type { Job } from './claim-jobs.ts'
import { attemptRecorder } from './conclude-attempts.ts'
import { type DeliverDeps, deliverJob, type Lease } from './deliver-job.ts'
import { registerDeliveryMetrics } from './delivery-metrics.ts'
import { roomOf } from './merchant-share.ts'
import { putClaimBack } from './put-jobs-back.ts'
import { refreshLanes } from './refresh-lanes.ts'
import { takeJobs } from './take-jobs.ts'

/** What sends deliveries, in as many replicas as there are. */
export interface Sender {
  /** Tells that these endpoints have something due now. Without it they wait for the next look at the database. */
  wake(webhookIds: Iterable<string>): void
  /** Claims nothing more and waits for what is being sent. */
  stop(): Promise<void>
}

/** The database holds the queue and its clock. What is kept here only spares looks at it, and may be lost at any moment. */
interface Hands {
  wakeSignal: WakeSignal
  running: Set<Promise<void>>
  /** How many of these are each merchant's. */
  inFlight: Map<string, number>
  /** Endpoints that are known to have something due. */
  woken: Set<string>
  /** Endpoints with more to send than may be in flight: each one that ends makes room for the next. */
  full: Set<string>
  /** A claim that may have been made: its answer has not come. Nothing else is claimed before it is put back. */
  unheard?: string | undefined
}

const maxInFlight = 500
const maxLanes = 32
const maxQuantum = 10
const pollMs = 250
const refreshMs = 1_000
const faultRestMs = 1_000

/** Starts sending what is due. */
export function startSender(given: Omit<DeliverDeps, 'record'>): Sender {
  const deps = { ...given, record: attemptRecorder(given) }
  const { db, logger } = deps
  const hands: Hands = {
    wakeSignal: wakeSignal(),
    running: new Set(),
    inFlight: new Map(),
    woken: new Set(),
    full: new Set(),
  }
  let stopping = false
  const sending = (async () => {
    while (!stopping) {
      let restMs = pollMs
      const more = await claimOnce(deps, hands).catch(error => {
        logger.warn({ err: error }, 'cannot claim deliveries')
        restMs = faultRestMs
        return false
      })
      if (!more && !stopping) await hands.wakeSignal.wait(restMs)
    }
  })()
  registerDeliveryMetrics(db)
  const refreshing = startInterval(refreshMs, 'refresh lanes', () => refreshLanes(db), logger)
  return {
    wake: webhookIds => wake(hands, webhookIds),
    stop: async () => {
      stopping = true
      hands.wakeSignal.wake()
      await Promise.all([sending, refreshing.stop()])
      await Promise.all(hands.running)
    },
  }
}

/** Claims what there is room for and starts it. Gives true where there is probably more to be had at once. */
async function claimOnce(deps: DeliverDeps, hands: Hands): Promise<boolean> {
  const free = maxInFlight - hands.running.size
  if (free <= 0) return false
  const lanes = Math.min(maxLanes, free)
  const quantum = Math.min(maxQuantum, Math.floor(free / lanes))
  if (hands.unheard) wake(hands, await putClaimBack(deps, hands.unheard))
  const id = randomUUID()
  hands.unheard = id
  const woken = [...hands.woken]
  hands.woken.clear()
  const { leaseMs } = deps
  const leaseEndsAt = performance.now() + leaseMs
  const lease = { leftMs: () => leaseEndsAt - performance.now() }
  const claim = await takeJobs(deps, { id, lanes, quantum, leaseMs, woken, free, inFlight: hands.inFlight })
  hands.unheard = undefined
  for (const { webhook_id, full } of claim.lanes) {
    if (full) hands.full.add(webhook_id)
    else hands.full.delete(webhook_id)
  }
  for (const job of claim.jobs) startJob(deps, hands, job, lease)
  return claim.lanes.length === lanes || claim.lanes.some(lane => lane.more) || hands.woken.size > 0
}

function startJob(deps: DeliverDeps, hands: Hands, job: Job, lease: Lease): void {
  const { running, full, wakeSignal } = hands
  const work = deliverJob(deps, job, lease)
    .catch(error => deps.logger.error({ err: error, delivery_id: job.delivery_id }, 'an attempt was not recorded'))
    .finally(() => {
      const wasSated = roomOf(maxInFlight - running.size, hands.inFlight.get(job.merchant_id) ?? 0) === 0
      running.delete(work)
      count(hands, job.merchant_id, -1)
      if (full.has(job.webhook_id)) wake(hands, [job.webhook_id])
      else if (wasSated) wakeSignal.wake()
    })
  running.add(work)
  count(hands, job.merchant_id, 1)
}

function count({ inFlight }: Hands, merchantId: string, change: 1 | -1): void {
  const number = (inFlight.get(merchantId) ?? 0) + change
  if (number === 0) inFlight.delete(merchantId)
  else inFlight.set(merchantId, number)
}

function wake({ woken, wakeSignal }: Hands, webhookIds: Iterable<string>): void {
  for (const id of webhookIds) woken.add(id)
  wakeSignal.wake()
}
