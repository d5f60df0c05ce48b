import type { Database, Tx } from '@cobro/database'
import { endedStatusesSql } from '../delivery-queue/delivery-states.ts'

const batch = 1_000

/**
 * Deletes rows from before the current month and the `months` before it, in UTC. Can be repeated.
 * Deletes ended deliveries and then events without deliveries, in small batches so that no lock is held for long,
 * queues of endpoints deleted at least an hour ago, and last whole partitions of attempts. An old delivery that is
 * being sent again keeps its month until a later run. Deleted events raise the floor of the feed.
 * Returns the row counts and the names of the dropped partitions.
 */
export async function deleteOldDeliveries({ db }: { db: Database }, months: number) {
  const deliveries = await inBatches(db, tx => tx.execute<unknown[]>(oldDeliveries, [months, batch]))
  const events = await inBatches(db, tx => tx.execute<unknown[]>(oldEvents, [months, batch]))
  const endpoint_queues = await inBatches(db, tx => tx.execute<unknown[]>(orphanedQueues, [batch]))
  const [attempts] = await db.write(tx => tx.execute<{ dropped: string[] }[]>(oldAttempts, [months]))
  return { deliveries, events, endpoint_queues, partitions: attempts?.dropped ?? [] }
}

async function inBatches(db: Database, deleteSome: (tx: Tx) => Promise<unknown[]>): Promise<number> {
  for (let total = 0; ; ) {
    const { length } = await db.write(deleteSome)
    total += length
    if (length < batch) return total
  }
}

/** The start of the oldest month to keep. */
const firstKept = `(date_trunc('month', now() at time zone 'UTC') - make_interval(months => ?)) at time zone 'UTC'`

const oldDeliveries = `
  with old as (
    select id from webhooks.deliveries
    where id collate "C" < webhooks.first_delivery_id(${firstKept})
      and status in (${endedStatusesSql})
    order by id collate "C" limit ? for update skip locked
  )
  delete from webhooks.deliveries d using old where d.id = old.id returning d.id`

/** Readers of the feed learn from its floor which events are deleted. Heads are locked in order, as where events are numbered. */
const oldEvents = `
  with old as (
    select id, merchant_id from webhooks.events e
    where created_at < ${firstKept} and not exists (select 1 from webhooks.deliveries d where d.event_id = e.id)
    order by created_at limit ? for update skip locked
  ),
  deleted as (
    delete from webhooks.events e using old where e.id = old.id returning e.id, e.merchant_id, e.sequence
  ),
  feed as (
    select h.merchant_id from webhooks.feed_heads h
    where h.merchant_id in (select merchant_id from old) order by h.merchant_id for update
  ),
  raised as (
    update webhooks.feed_heads h set floor = greatest(h.floor, d.highest + 1)
    from (select merchant_id, max(sequence) as highest from deleted group by merchant_id) d join feed using (merchant_id)
    where h.merchant_id = d.merchant_id
  )
  select id from deleted`

/** `served_at` is when the endpoint was deleted. An hour later, no event is fanned out to it. */
const orphanedQueues = `
  with orphaned as (
    select webhook_id from webhooks.lanes l
    where served_at < now() - interval '1 hour'
      and not exists (select 1 from webhooks.endpoints w where w.id = l.webhook_id)
      and not exists (select 1 from webhooks.jobs j where j.webhook_id = l.webhook_id)
    limit ? for update skip locked
  )
  delete from webhooks.lanes l using orphaned where l.webhook_id = orphaned.webhook_id returning l.webhook_id`

const oldAttempts = `select webhooks.drop_attempt_partitions(${firstKept}) as dropped`
