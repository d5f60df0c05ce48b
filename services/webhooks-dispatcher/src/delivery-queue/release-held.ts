import type { Database, Tx } from '@cobro/database'
import { currentCall } from '@cobro/runtime'
import { maxInFlightPerEndpoint } from './claim-deliveries.ts'

interface Held {
  id: string
  attempt_count: number
}

/**
 * Queues deliveries, each for a single attempt of the current request, behind everything else of their endpoint: they are due
 * once `releaseHeld` says so. They must not be queued already.
 */
export async function holdDeliveries(tx: Tx, webhookId: string, deliveries: readonly Held[]): Promise<void> {
  await tx.execute(hold, [webhookId, currentCall().request_id, JSON.stringify(deliveries)])
}

/**
 * Makes the oldest held deliveries due of each endpoint that has fewer in flight or due than it may have in flight, so that a new
 * event never waits for more than these. Returns the endpoints.
 */
export async function releaseHeld({ execute, write }: Pick<Database, 'execute' | 'write'>): Promise<string[]> {
  const held = await execute(`select from webhooks.jobs where due_at = 'infinity' limit 1`)
  if (held.length === 0) return []
  return write(async tx => {
    // One replica at a time: another could not see yet what this one makes due, and would make as many due again.
    const [lock] = await tx.execute<{ taken: boolean }[]>(takeLock)
    if (!lock?.taken) return []
    const rows = await tx.execute<{ webhook_id: string }[]>(release)
    return rows.map(row => row.webhook_id)
  })
}

const takeLock = `select pg_try_advisory_xact_lock(hashtextextended('webhooks release held', 0)) as taken`

const hold = `
  insert into webhooks.jobs (delivery_id, webhook_id, due_at, attempt, one_shot_after, request_id)
  select id, ?, 'infinity', attempt_count, attempt_count, ? from json_to_recordset(?::json) as d (id text, attempt_count integer)`

/** Reads the index of held jobs from one endpoint to the next, since one may have 100,000. Locks queues before jobs, as claims do. */
const release = `
  with recursive holding as (
    (select webhook_id from webhooks.jobs where due_at = 'infinity' order by webhook_id limit 1)
    union all
    select (
      select j.webhook_id from webhooks.jobs j
      where j.due_at = 'infinity' and j.webhook_id > holding.webhook_id order by j.webhook_id limit 1
    ) from holding where holding.webhook_id is not null
  ),
  queue as materialized (
    select l.webhook_id from webhooks.lanes l
    where l.webhook_id = any (array(select webhook_id from holding)) order by l.webhook_id for update skip locked
  ),
  released as (
    update webhooks.jobs j set due_at = now()
    where j.delivery_id = any (array(
      select next.delivery_id
      from queue
      cross join lateral (
        select count(*) as number from (
          select from webhooks.jobs ahead where ahead.webhook_id = queue.webhook_id and ahead.due_at <= now()
          limit ${maxInFlightPerEndpoint}
        ) ahead
      ) due
      cross join lateral (
        select count(*) as number from (
          select from webhooks.jobs sent where sent.webhook_id = queue.webhook_id and sent.leased and sent.due_at > now()
          limit ${maxInFlightPerEndpoint}
        ) sent
      ) in_flight
      cross join lateral (
        select delivery_id from webhooks.jobs held where held.webhook_id = queue.webhook_id and held.due_at = 'infinity'
        order by delivery_id limit greatest(0, ${maxInFlightPerEndpoint} - due.number - in_flight.number)
        for update skip locked
      ) next
    ))
    returning j.webhook_id
  )
  update webhooks.lanes l set next_due = now()
  where l.webhook_id in (select webhook_id from released) and (l.next_due is null or l.next_due > now())
  returning l.webhook_id`
