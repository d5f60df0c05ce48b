import type { EventData, Id } from '@cobro/contracts'
import type { Database, Emit, Tx } from '@cobro/database'
import { deliveryTransitions } from './delivery-states.ts'

const { cancelled } = deliveryTransitions.pending

/** The most deliveries that one transaction cancels, and emits events for: attempts of other merchants may wait for it. */
const batchSize = 1_000

interface CancelledQueue {
  /** How many deliveries were queued. */
  total: number
  /** How many of them are left to `cancelInactiveQueues`. */
  rest: number
}

/** Cancels an endpoint's first thousand queued deliveries, but not those being sent. */
export async function cancelQueuedDeliveries(tx: Tx, emit: Emit, webhookId: Id<'whk'>): Promise<CancelledQueue> {
  const [queued] = await tx.execute<{ total: number }[]>(countQueued, [webhookId])
  const total = queued?.total ?? 0
  return { total, rest: total - (await cancelBatch(tx, emit, cancelOfEndpoint, [webhookId])) }
}

/**
 * Cancels a thousand of the deliveries that are queued for disabled and deleted endpoints, whether they are due or not.
 * Replicas may run it concurrently.
 */
export async function cancelInactiveQueues({ execute, write }: Pick<Database, 'execute' | 'write'>): Promise<void> {
  const inactive = await execute(`${queuedOfInactive} limit 1`)
  if (inactive.length > 0) await write((tx, emit) => cancelBatch(tx, emit, cancelOfInactive, []))
}

async function cancelBatch(tx: Tx, emit: Emit, sql: string, params: string[]): Promise<number> {
  const rows = await tx.execute<EventData<'webhook.cancelled'>[]>(sql, params)
  for (const row of rows) for (const name of cancelled.emits) emit(name, row)
  return rows.length
}

const countQueued = 'select count(*)::integer as total from webhooks.jobs where webhook_id = ? and not leased'

/** A queue without a due time is empty, or `refreshEndpointQueues` corrects it. Locks nothing of active endpoints. */
const queuedOfInactive = `
  with inactive as materialized (
    select l.webhook_id from webhooks.lanes l left join webhooks.endpoints w on w.id = l.webhook_id
    where l.next_due is not null and w.status is distinct from 'active'
  )
  select job.delivery_id from inactive i cross join lateral (
    select delivery_id from webhooks.jobs j where j.webhook_id = i.webhook_id and not j.leased
    order by due_at, delivery_id limit ${batchSize} for update skip locked
  ) job`

const cancel = (queued: string) => `
  with queued as (
    delete from webhooks.jobs where delivery_id = any (array(${queued})) returning delivery_id
  )
  update webhooks.deliveries d set status = '${cancelled.to}', next_attempt_at = null
  from queued where d.id = queued.delivery_id
  returning d.id, d.webhook_id, d.event_id, d.merchant_id, d.correlation_id`

const cancelOfInactive = cancel(`${queuedOfInactive} limit ${batchSize}`)
const cancelOfEndpoint = cancel(`
  select delivery_id from webhooks.jobs where webhook_id = ? and not leased
  order by due_at, delivery_id limit ${batchSize} for update`)
