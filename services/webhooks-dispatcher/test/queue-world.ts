import { randomBytes, randomUUID } from 'node:crypto'
import { inboxOf, migrate, openDatabase } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { type KeyRing, secret } from '@cobro/runtime'
import { migratedDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-webhooks.ts'
import type { ClaimedDelivery, ClaimLimits } from '../src/delivery-queue/claim-deliveries.ts'
import { ignoreFailpoints } from '../src/delivery-queue/failpoints.ts'
import { claimSendable } from '../src/sending/claim-sendable.ts'
import { recordAttempts } from '../src/sending/record-attempts.ts'
import type { AttemptOutcome } from '../src/sending/retry-policy.ts'
import { connections } from '../src/start-webhooks-dispatcher.ts'
import { fanOutEvents } from '../src/webhook-deliveries/fan-out-events.ts'
import { createWebhook } from '../src/webhooks/create-webhook.ts'
import { eventOf } from './dispatcher-service.ts'

export type QueueWorld = Awaited<ReturnType<typeof queueWorld>>

/** Limits that no test reaches. */
export const unlimited: Omit<ClaimLimits, 'id' | 'maxAttempts'> = {
  ...{ maxEndpoints: 32, maxPerEndpoint: 10, leaseMs: 60_000 },
  ...{ woken: [], capacity: 500, inFlight: new Map(), budget: { perMerchant: 500, spent: () => new Map() } },
}
const response = { error: null, response_body: '', retry_after: null, duration_ms: 5 }

/** A migrated database without a dispatcher: tests perform each of its steps themselves. */
export async function queueWorld() {
  const database = await migratedDatabase({ schema: 'webhooks', migrations, migrate })
  const db = openDatabase({ url: database.url('webhooks'), ...connections })
  const rules = { httpsOnly: false, allowPrivate: true }
  const keys: KeyRing = [{ id: 'test', bytes: secret(randomBytes(32)) }]
  const deps = {
    db,
    rules,
    keys,
    resolve: async () => [],
    maxEndpoints: 20,
  }
  const retryDelaysMs = [30_000, 120_000, 600_000, 3_600_000]
  const run = <T>(sql: string, params: unknown[] = []) => db.read(em => em.execute<T[]>(sql, params))
  const inbox = inboxOf(db)
  /** Fans events out without claiming their deliveries. Returns the endpoints that got one. */
  const fanOut = async (...events: object[]) => {
    const batch = events.map(event => ({ message: event as never, trace: {} }))
    return (await fanOutEvents(inbox, batch)).woken
  }
  const claim = (limits: Partial<ClaimLimits> = {}, { withEvents = false } = {}) => {
    const claimDeps = { db, retryDelaysMs, failpoint: ignoreFailpoints }
    return claimSendable(claimDeps, { id: randomUUID(), ...unlimited, ...limits }, withEvents)
  }
  return {
    ...{ db, deps, run, fanOut },
    /** Runs SQL that the role of the service may not run. */
    asOwner: database.query,
    event: (merchant: { merchant_id: string }) => fanOut(eventOf(merchant.merchant_id)),
    /** Creates an endpoint with a number of due deliveries. */
    endpoint: async (due: number, merchant = keyCaller()) => {
      const input = { url: 'http://127.0.0.1:4999/', events: ['*'] }
      const { id, url } = await createWebhook(deps, merchant, input)
      for (let i = 0; i < due; i++) await fanOut(eventOf(merchant.merchant_id))
      return { merchant, id, url }
    },
    claim,
    /** Claims like the sender: with events if the claim without them deferred deliveries. */
    take: async (limits: Partial<ClaimLimits> = {}) => {
      const { deliveries, queues } = await claim(limits)
      if (!queues.some(queue => queue.deferred)) return deliveries
      return [...deliveries, ...(await claim(limits, { withEvents: true })).deliveries]
    },
    /** Records an attempt with a status code. */
    record: async (delivery: ClaimedDelivery, status_code: number, outcome: AttemptOutcome) => {
      const answered = { ...response, status_code }
      const attempt = { delivery, sentAt: new Date(), response: answered, outcome, trace: {} }
      return (await recordAttempts({ db, failpoint: ignoreFailpoints }, [attempt]))[0]
    },
    endpointRow: async (id: string) =>
      (
        await run<{ status: string; disabled_reason: string | null; exhausted_in_a_row: number }>(
          'select status, disabled_reason, exhausted_in_a_row from webhooks.endpoints where id = ?',
          [id],
        )
      )[0],
    statusesOf: async (webhookId: string) =>
      (
        await run<{ status: string }>('select status from webhooks.deliveries where webhook_id = ? order by 1', [
          webhookId,
        ])
      ).map(row => row.status),
    /** Returns how many transactions wait for a lock. */
    waiting: async () =>
      (
        await database.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length,
    /** Returns the events about an object or an endpoint's deliveries, oldest first. */
    eventsAbout: async (id: string) =>
      (await run<{ body: Buffer }>('select body from webhooks.outbox order by id'))
        .map(row => JSON.parse(row.body.toString()))
        .filter(message => message.target_id === id || message.data.webhook_id === id),
    stop: async () => {
      await db.close()
      await database.drop()
    },
  }
}
