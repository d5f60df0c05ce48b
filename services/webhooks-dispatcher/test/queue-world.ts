import { randomBytes, randomUUID } from 'node:crypto'
import { migrate, openDatabase } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { secret } from '@cobro/runtime'
import { migratedDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-webhooks.ts'
import type { Outcome } from '../src/sending/attempt-outcome.ts'
import type { ClaimLimits, Job } from '../src/sending/claim-jobs.ts'
import { concludeAttempts } from '../src/sending/conclude-attempts.ts'
import { takeJobs } from '../src/sending/take-jobs.ts'
import { entities } from '../src/start-webhooks-dispatcher.ts'
import { carryOn } from '../src/steps.ts'
import { fanOutEvents } from '../src/webhook-deliveries/fan-out-events.ts'
import { createWebhook } from '../src/webhooks/create-webhook.ts'
import { eventOf } from './dispatcher-service.ts'

export type QueueWorld = Awaited<ReturnType<typeof queueWorld>>

/** A claim that nothing limits. */
const plenty: Omit<ClaimLimits, 'id'> = {
  ...{ lanes: 32, quantum: 10, leaseMs: 60_000 },
  ...{ woken: [], free: 500, inFlight: new Map() },
}
const answered = { error: null, response_body: '', retry_after: null, duration_ms: 5 }

/** The database of a dispatcher that does not run: what it would do is done step by step. */
export async function queueWorld() {
  const database = await migratedDatabase({ schema: 'webhooks', migrations, migrate })
  const db = openDatabase({ url: database.url('webhooks'), schema: 'webhooks', entities })
  const rules = { httpsOnly: false, allowPrivate: true }
  const deps = { db, rules, keys: [{ id: 'test', bytes: secret(randomBytes(32)) }], resolve: async () => [] }
  const waitsMs = [30_000, 120_000, 600_000, 3_600_000]
  const run = <T>(sql: string, params: unknown[] = []) => db.read(em => em.execute<T[]>(sql, params))
  const fanOut = (event: object) => db.write(tx => fanOutEvents(tx, [{ message: event as never, trace: {} }]))
  return {
    ...{ db, deps, run, fanOut },
    /** What the service itself may not do. */
    asOwner: database.query,
    event: (merchant: { merchant_id: string }) => fanOut(eventOf(merchant.merchant_id)),
    /** An endpoint of a merchant with a number of deliveries that are due. */
    endpoint: async (due: number, merchant = keyCaller()) => {
      const input = { url: 'http://127.0.0.1:4999/', events: ['*'] }
      const { id, url } = await createWebhook(deps, merchant, input)
      for (let i = 0; i < due; i++) await fanOut(eventOf(merchant.merchant_id))
      return { merchant, id, url }
    },
    take: async (limits: Partial<ClaimLimits> = {}) => {
      return (await takeJobs({ db, waitsMs, atStep: carryOn }, { id: randomUUID(), ...plenty, ...limits })).jobs
    },
    /** Records that an attempt was answered so. */
    conclude: async (job: Job, status_code: number, outcome: Outcome) => {
      const answer = { ...answered, status_code }
      const made = { job, at: new Date(), answer, outcome, trace: {} }
      return (await concludeAttempts({ db, atStep: carryOn }, [made]))[0]
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
    /** What was published about something or for the deliveries of an endpoint, oldest first. */
    toldOf: async (id: string) =>
      (await run<{ body: Buffer }>('select body from webhooks.outbox order by id'))
        .map(row => JSON.parse(row.body.toString()))
        .filter(message => message.target_id === id || message.data.webhook_id === id),
    stop: async () => {
      await db.close()
      await database.drop()
    },
  }
}
