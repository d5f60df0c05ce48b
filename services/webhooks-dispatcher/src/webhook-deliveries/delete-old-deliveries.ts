import type { Database, Reader } from '@cobro/database'

/** What was deleted because it was older than it is kept. */
export interface Deleted {
  deliveries: number
  events: number
  /** Lanes of endpoints that were deleted. */
  lanes: number
  /** The months of attempts that were dropped, by the names of their partitions. */
  partitions: string[]
}

const batch = 1_000

/**
 * Deletes what is from before the current month and the `months` before it, in UTC: first deliveries that have come to their
 * end, then events that no delivery refers to, both in batches that hold no lock for long, and last the attempts, whose months
 * are dropped whole. With them go the lanes of deleted endpoints that nothing can be put into any more. What stands in the way
 * of a month, such as an old delivery that is being sent again, keeps it until the next time. May be repeated at will.
 */
export async function deleteOld({ db }: { db: Database }, months: number): Promise<Deleted> {
  const deliveries = await inBatches(db, em => em.execute<unknown[]>(oldDeliveries, [months, batch]))
  const events = await inBatches(db, em => em.execute<unknown[]>(oldEvents, [months, batch]))
  const lanes = await inBatches(db, em => em.execute<unknown[]>(orphanedLanes, [batch]))
  const [attempts] = await db.read(em => em.execute<{ dropped: string[] }[]>(oldAttempts, [months]))
  return { deliveries, events, lanes, partitions: attempts?.dropped ?? [] }
}

async function inBatches(db: Database, deleteSome: (em: Reader) => Promise<unknown[]>): Promise<number> {
  for (let total = 0; ; ) {
    const { length } = await db.read(deleteSome)
    total += length
    if (length < batch) return total
  }
}

/** The beginning of the oldest month that is kept. */
const firstKept = `(date_trunc('month', now() at time zone 'UTC') - make_interval(months => ?)) at time zone 'UTC'`

const oldDeliveries = `
  with old as (
    select id from webhooks.deliveries
    where id collate "C" < webhooks.first_delivery_id(${firstKept})
      and status in ('succeeded', 'failed', 'exhausted', 'cancelled')
    order by id collate "C" limit ? for update skip locked
  )
  delete from webhooks.deliveries d using old where d.id = old.id returning d.id`

const oldEvents = `
  with old as (
    select id from webhooks.events e
    where created_at < ${firstKept} and not exists (select 1 from webhooks.deliveries d where d.event_id = e.id)
    order by created_at limit ? for update skip locked
  )
  delete from webhooks.events e using old where e.id = old.id returning e.id`

/** A lane is marked as served when its endpoint is deleted. An hour on, whatever was being fanned out to it then has long come to its end. */
const orphanedLanes = `
  with orphaned as (
    select webhook_id from webhooks.lanes l
    where served_at < now() - interval '1 hour'
      and not exists (select 1 from webhooks.endpoints w where w.id = l.webhook_id)
      and not exists (select 1 from webhooks.jobs j where j.webhook_id = l.webhook_id)
    limit ? for update skip locked
  )
  delete from webhooks.lanes l using orphaned where l.webhook_id = orphaned.webhook_id returning l.webhook_id`

const oldAttempts = `select webhooks.drop_attempt_partitions(${firstKept}) as dropped`
