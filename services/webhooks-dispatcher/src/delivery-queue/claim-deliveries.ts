import type { Id, RowOf, webhooks } from '@cobro/contracts'
import { type Database, planForValues } from '@cobro/database'
import type { TraceCarrier } from '@cobro/runtime'
import { deliveryTransitions } from './delivery-states.ts'
import { claimableByMerchant } from './merchant-share.ts'
import type { SendBudget } from './send-budget.ts'

/** A delivery leased for an attempt, until the lease expires or another claim raises `attempt`. */
export interface ClaimedDelivery {
  delivery_id: Id<'whd'>
  webhook_id: Id<'whk'>
  event_id: Id<'evt'>
  event: string
  /** The number of the event in the merchant's feed; null for test events and events from before the feed. */
  sequence: number | null
  merchant_id: Id<'mrc'>
  correlation_id: Id<'corr'> | null
  /** The request that caused the delivery. */
  request_id: string | null
  /** 1 for the first attempt. Claims raise it, so that dying senders cannot exceed the limit. */
  attempt: number
  /** Whether the sender of the attempt before died before it recorded a result. */
  abandoned: boolean
  /** For a test or redelivery, how many attempts came before its single one; else null. */
  one_shot_after: number | null
  url: string
  /** The sealed secret of the endpoint; null if the endpoint was deleted. */
  secret: string | null
  /** The sealed secret from before the newest rotation, while it still signs. */
  previous_secret: string | null
  /** Null if the endpoint was deleted. */
  endpoint_status: RowOf<typeof webhooks>['status'] | null
  body: Buffer
  trace: TraceCarrier
}

/** The state of an endpoint's queue after a claim. */
interface EndpointQueue {
  webhook_id: Id<'whk'>
  /** The endpoint's deliveries in flight have reached the limit: wait until one of them ends. */
  full: boolean
  /** More deliveries are due, and the endpoint may have more in flight. */
  more: boolean
  /** Due deliveries were left to a claim with events. */
  deferred: boolean
}

export interface ClaimLimits {
  /** The id of this claim, by which its deliveries are requeued if its reply is lost. */
  id: string
  maxEndpoints: number
  maxPerEndpoint: number
  maxAttempts: number
  leaseMs: number
  /** Endpoints known to have deliveries due, whatever `webhooks.lanes` says. */
  woken: string[]
  /** How many more deliveries this process can have in flight. */
  capacity: number
  /** How many deliveries of each merchant this process has in flight. */
  inFlight: ReadonlyMap<string, number>
  budget: Pick<SendBudget, 'perMerchant' | 'spent'>
}

export interface Claim {
  deliveries: ClaimedDelivery[]
  queues: EndpointQueue[]
}

/** The most that a claim leases. A process with little capacity left asks for less. */
export const claimSize = { maxEndpoints: 32, maxPerEndpoint: 10 }
/** The most deliveries that an endpoint has in flight, over all replicas. */
export const maxInFlightPerEndpoint = 10
const fullQueueDelayMs = 1_000

/** How a claim executes its statement, and whether it includes deliveries whose claim emits events. */
interface Claiming {
  execute: Database['execute']
  withEvents: boolean
}

/**
 * Leases due deliveries, at most `maxPerEndpoint` for each of `maxEndpoints` endpoints, and for
 * each merchant at most its share and budget. Endpoints take turns: of those that are woken or due for longest, the least recently
 * served come first. The table `webhooks.jobs` has a row for each queued or leased delivery, and `webhooks.lanes` a row for each
 * endpoint's queue. Events are emitted for deliveries whose sender died, and for those that are not sent, because their endpoint
 * is not active or no attempt is left.
 */
export async function claimDeliveries({ execute, withEvents }: Claiming, limits: ClaimLimits): Promise<Claim> {
  const { id, maxEndpoints, maxPerEndpoint, maxAttempts, leaseMs, woken, capacity: free, inFlight, budget } = limits
  type Row = EndpointQueue & { [K in keyof ClaimedDelivery]: ClaimedDelivery[K] | null }
  const claimable = claimableByMerchant({ free, inFlight, budget })
  const merchantsAtLimit = [...claimable.named].filter(([, left]) => left === 0).map(([merchantId]) => merchantId)
  const isUsual = !withEvents && maxEndpoints === claimSize.maxEndpoints && maxPerEndpoint === claimSize.maxPerEndpoint
  const sql = isUsual ? usualClaim : planForValues(claim({ maxEndpoints, maxPerEndpoint }, withEvents))
  const rows = await execute<Row>(sql, [
    ...[arrayLiteral(woken), arrayLiteral(merchantsAtLimit), arrayLiteral(merchantsAtLimit)],
    ...[JSON.stringify(Object.fromEntries(claimable.named)), claimable.others],
    ...[maxInFlightPerEndpoint, maxAttempts],
    ...[id, leaseMs, withEvents, ...(withEvents ? [leaseMs] : []), fullQueueDelayMs, withEvents],
  ])
  return {
    deliveries: rows.filter(row => row.delivery_id !== null) as (EndpointQueue & ClaimedDelivery)[],
    queues: [...new Map(rows.map(row => [row.webhook_id, queueOf(row)])).values()],
  }
}

function queueOf({ webhook_id, full, more, deferred }: EndpointQueue): EndpointQueue {
  return { webhook_id, full, more, deferred }
}

function arrayLiteral(ids: string[]): string {
  return `{${ids.join(',')}}`
}

/**
 * Locks an endpoint's queue while claiming from it, so that its limit holds over all replicas.
 * Skips a queue served after this statement's snapshot, which lacks what is in flight there. Deliveries with an expired
 * lease are due, and their unfinished attempt is recorded as unknown by a claim with events: others skip them. The limits are
 * part of the text and followed by others as conditions, because for an unknown limit the planner assumes a tenth of the backlog.
 * A queue with more to send becomes due now, and so gets its next turn after all others that wait. In this order the index of due
 * times is read from its start, which skips dead entries; a bitmap scan would visit each until the next vacuum (ADR 89).
 */
const claim = ({ maxEndpoints, maxPerEndpoint }: typeof claimSize, withEvents: boolean): string => `
  with woken as (
    select webhook_id, served_at, merchant_id from webhooks.lanes
    where webhook_id = any(?::text[]) and coalesce(merchant_id, '') <> all(?::text[])
    order by served_at limit ${maxEndpoints} for update skip locked
  ),
  due as (
    select webhook_id, served_at, merchant_id from webhooks.lanes
    where next_due <= now() and coalesce(merchant_id, '') <> all(?::text[])
      and webhook_id not in (select webhook_id from woken)
    order by next_due limit ${maxEndpoints} for update skip locked
  ),
  ready as (
    select webhook_id, served_at, coalesce(merchant_id, webhook_id) as merchant_id
    from (select * from woken union all select * from due) queue
    order by served_at limit ${maxEndpoints}
  ),
  available as (
    select r.webhook_id, r.merchant_id, coalesce((?::jsonb ->> r.merchant_id)::integer, ?) as merchant_room,
      greatest(0, ? - in_flight.number)::integer as room, coalesce(w.status = 'active', false) as active
    from ready r
    cross join lateral (
      select from webhooks.lanes l where l.webhook_id = r.webhook_id and l.served_at = r.served_at offset 0
    ) seen
    left join webhooks.endpoints w on w.id = r.webhook_id
    cross join lateral (
      select count(*) as number from (
        select from webhooks.jobs j where j.webhook_id = r.webhook_id and j.leased and j.due_at > now()
        order by j.due_at limit ${maxInFlightPerEndpoint}
      ) j
    ) in_flight
  ),
  candidate as (
    select o.room, o.merchant_id, o.merchant_room, j.*,
      row_number() over (partition by j.webhook_id order by j.due_at, j.delivery_id) as place
    from available o cross join lateral (
      select delivery_id, webhook_id, leased as abandoned, due_at,
        leased or not o.active or attempt + 1 - coalesce(one_shot_after, 0) > ? as emits
      from webhooks.jobs
      where webhook_id = o.webhook_id and due_at <= now() and o.room > 0
      order by due_at, delivery_id limit ${maxPerEndpoint} for update skip locked
    ) j
  ),
  within_limits as (
    select * from (
      select candidate.*, row_number() over (partition by merchant_id order by place, due_at) as merchant_place
      from candidate where place <= room
    ) p where merchant_place <= merchant_room
  ),
  claimed as (
    update webhooks.jobs j
    set attempt = attempt + 1, leased = true, claim = ?, due_at = now() + ? * interval '1 millisecond'
    from within_limits p where j.delivery_id = p.delivery_id and (? or not p.emits)
    returning j.delivery_id, j.webhook_id, j.attempt, j.one_shot_after, j.request_id, p.abandoned,
      p.due_at as lease_ended_at
  ),${withEvents ? unknown : ''}
  delivering as (
    update webhooks.deliveries d
    set status = '${deliveryTransitions.pending.claimed.to}', attempt_count = c.attempt, next_attempt_at = null,
      url = coalesce(w.url, d.url)
    from claimed c left join webhooks.endpoints w on w.id = c.webhook_id where d.id = c.delivery_id
    returning c.delivery_id, c.webhook_id, c.attempt, c.one_shot_after, c.request_id, c.abandoned, d.event_id, d.event,
      d.merchant_id, d.correlation_id, d.url, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as previous_secret,
      w.status as endpoint_status
  ),
  served as (
    update webhooks.lanes l set
      served_at = clock_timestamp(),
      next_due = case${withEvents ? restOfInactive : ''}
        when o.room <= o.taken then now() + ? * interval '1 millisecond'
        when o.rest_due <= now() then now()
        else o.rest_due
      end
    from (
      select available.*, (select count(*) from claimed c where c.webhook_id = available.webhook_id) as taken, (
        select j.due_at from webhooks.jobs j
        where j.webhook_id = available.webhook_id and j.delivery_id not in (select delivery_id from claimed)
        order by j.due_at limit 1
      ) as rest_due,
      not ? and exists (select from within_limits p where p.webhook_id = available.webhook_id and p.emits) as deferred
      from available offset 0
    ) o
    where l.webhook_id = o.webhook_id
    returning l.webhook_id, o.room <= o.taken as full,
      o.room > o.taken and coalesce(l.next_due <= now(), false) as more,
      o.deferred
  )
  select served.webhook_id, served.full, served.more, served.deferred, d.delivery_id, d.attempt, d.one_shot_after,
    d.request_id, d.abandoned, d.event_id, d.event, d.merchant_id, d.correlation_id, d.url, d.secret, d.previous_secret,
    d.endpoint_status, e.sequence::double precision, e.body, e.trace
  from served
  left join delivering d on d.webhook_id = served.webhook_id
  left join webhooks.events e on e.id = d.event_id`

/** Not for every claim: an insert without rows has a cost too, and runs the trigger of the table. */
const unknown = `
  unknown as (
    insert into webhooks.attempts (delivery_id, number, at, error)
    select delivery_id, attempt - 1, lease_ended_at - ? * interval '1 millisecond', 'unknown' from claimed where abandoned
    on conflict do nothing
  ),`

/** What is queued for an inactive endpoint is left to `cancelInactiveQueues`, which cancels more at once than a claim. */
const restOfInactive = `
        when not o.active then now() + interval '1 second'`

export const usualClaim = claim(claimSize, false)
