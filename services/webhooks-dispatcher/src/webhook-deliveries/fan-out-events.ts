import { type Id, lowestId, type Message } from '@cobro/contracts'
import { type Inbox, violatesConstraint } from '@cobro/database'
import type { TraceCarrier } from '@cobro/runtime'
import { type ClaimedDelivery, maxInFlightPerEndpoint } from '../delivery-queue/claim-deliveries.ts'
import { deliveryTransitions } from '../delivery-queue/delivery-states.ts'
import type { claimableByMerchant } from '../delivery-queue/merchant-share.ts'
import { webhookPayload } from './webhook-payload.ts'

/** An event and the trace it was received in. */
export interface TracedMessage {
  message: Message
  trace: TraceCarrier
}

/** What a claim of new deliveries may lease, as for `claimDeliveries`. */
export interface DirectClaim {
  id: string
  leaseMs: number
  /** How many deliveries this process can have in addition. */
  capacity: number
  claimable: ReturnType<typeof claimableByMerchant>
}

export interface FannedOut {
  /** The new deliveries that the claim leased. */
  deliveries: ClaimedDelivery[]
  /** The endpoints with new deliveries that it did not lease. */
  woken: Id<'whk'>[]
}

/**
 * Stores events that were not received before as the bytes to send, and creates a delivery, due at once, for each subscription.
 * Stores events without subscribers too: a merchant may request them later. With a claim, leases the deliveries of endpoints
 * for which nothing else is due, if all of them are within the limits of endpoint, merchant and process.
 */
export async function fanOutEvents(
  inbox: Pick<Inbox, 'onceEach'>,
  messages: TracedMessage[],
  claim?: DirectClaim,
): Promise<FannedOut> {
  const events = messages.map(({ message, trace }) => ({
    id: message.id,
    merchant_id: message.merchant_id,
    event: message.name,
    correlation_id: message.correlation_id,
    request_id: message.request_id,
    body: webhookPayload(message),
    trace,
    created_at: message.occurred_at,
  }))
  const ids = events.map(({ id }) => id)
  const { id, leaseMs, capacity, claimable } = claim ?? noClaim
  const params = [
    ...[JSON.stringify(events), maxInFlightPerEndpoint, capacity],
    ...[JSON.stringify(Object.fromEntries(claimable.named)), claimable.others],
    ...[idStart(), id, leaseMs],
  ]
  const { leased, woken } = await inbox.onceEach<Row>(ids, fanOut, params).catch(error => {
    if (!violatesConstraint(error, 'events_pkey')) throw error
    return inbox.onceEach<Row>(ids, fanOutUnstored, params)
  })
  const byId = new Map(events.map(event => [event.id, event]))
  const deliveries = leased.map(delivery => {
    const event = byId.get(delivery.event_id)
    if (!event) throw new Error(`A delivery of ${delivery.event_id} was leased, which was not fanned out.`)
    return { ...delivery, ...firstAttempt, body: Buffer.from(event.body), trace: event.trace }
  })
  return { deliveries, woken }
}

const firstAttempt = { attempt: 1, abandoned: false, one_shot_after: null, endpoint_status: 'active' } as const
const noClaim = { id: null, leaseMs: 0, capacity: 0, claimable: { named: new Map<string, number>(), others: 0 } }

interface Row {
  fresh: number
  woken: Id<'whk'>[]
  leased: Omit<ClaimedDelivery, keyof typeof firstAttempt | 'body' | 'trace'>[]
}

/** The prefix and time of a delivery's id. PostgreSQL adds 16 digits of a random UUID, as it also finds the subscriptions. */
const idStart = () => lowestId('whd', Date.now()).slice(0, -16)

/**
 * Numbers the events of each merchant after its head of the feed, which it locks until the commit. Locks the heads in the order
 * of the merchants' ids, to avoid deadlocks, and before any endpoint queue. An event that was stored before, and that the inbox
 * has forgotten, has its number and deliveries already: the statement fails, and is repeated without it.
 * Locks endpoint queues that are not due yet, in the same order. A queue served after this statement's
 * snapshot is not claimed from: the snapshot lacks what is in flight there. `offset 0` makes the planner look up the endpoints
 * of each event, and the queue of each endpoint: it assumes a hundred events, and would read all endpoints and queues for them.
 */
const fanOutOf = (condition: string): string => `,
  given as (
    select distinct on (e.id) e.* from fresh join json_to_recordset(?::json) as e (
      id text, merchant_id text, event text, correlation_id text, request_id text, body text, trace jsonb,
      created_at timestamptz
    ) on e.id = fresh.message_id ${condition}
    order by e.id
  ),
  head as (
    insert into webhooks.feed_heads as h (merchant_id, head)
    select merchant_id, count(*) from given group by merchant_id order by merchant_id
    on conflict (merchant_id) do update set head = h.head + excluded.head
    returning h.merchant_id, h.head
  ),
  numbered as materialized (
    select given.*, head + row_number() over by_id - count(*) over (partition by merchant_id) as sequence
    from given join head using (merchant_id) window by_id as (partition by merchant_id order by id)
    order by id
  ),
  event as (
    insert into webhooks.events (id, merchant_id, event, correlation_id, body, trace, created_at, sequence)
    select id, merchant_id, event, correlation_id, convert_to(body, 'UTF8'), trace, created_at, sequence
    from numbered
  ),
  subscription as materialized (
    select e.id as event_id, e.event, e.correlation_id, e.request_id, e.sequence, w.*
    from numbered e cross join lateral (
      select id as webhook_id, merchant_id, url, secret,
        case when previous_secret_until > now() then previous_secret end as previous_secret
      from webhooks.endpoints
      where merchant_id = e.merchant_id and status = 'active' and events && array[e.event, '*'] offset 0
    ) w
  ),
  resting as materialized (
    select queue.webhook_id, queue.served_at
    from (select distinct webhook_id from subscription order by webhook_id) s
    cross join lateral (
      select webhook_id, served_at from webhooks.lanes
      where webhook_id = s.webhook_id and (next_due is null or next_due > now()) offset 0 for update
    ) queue
  ),
  claimed as materialized (
    select w.webhook_id
    from resting w
    join webhooks.lanes seen on seen.webhook_id = w.webhook_id and seen.served_at = w.served_at
    join (
      select webhook_id, merchant_id, count(*) as number, sum(count(*)) over (partition by merchant_id) as of_merchant,
        sum(count(*)) over () as of_all
      from subscription group by webhook_id, merchant_id
    ) due on due.webhook_id = w.webhook_id
    cross join lateral (
      select count(*) as number from (
        select from webhooks.jobs j where j.webhook_id = w.webhook_id and j.leased and j.due_at > now()
        order by j.due_at limit ${maxInFlightPerEndpoint + 1}
      ) j
    ) in_flight
    where not exists (select from webhooks.jobs j where j.webhook_id = w.webhook_id and j.due_at <= now())
      and due.number + in_flight.number <= ? and due.of_all <= ?
      and due.of_merchant <= coalesce((?::jsonb ->> due.merchant_id)::integer, ?)
  ),
  delivery as (
    insert into webhooks.deliveries
      (id, webhook_id, merchant_id, url, event_id, event, kind, status, attempt_count, next_attempt_at, correlation_id, created_at)
    select ? || translate(right(gen_random_uuid()::text, 17), '-', ''),
      s.webhook_id, s.merchant_id, s.url, s.event_id, s.event, 'auto',
      case when c.webhook_id is null then 'pending' else '${deliveryTransitions.pending.claimed.to}' end,
      case when c.webhook_id is null then 0 else 1 end,
      case when c.webhook_id is null then now() end,
      s.correlation_id, now()
    from subscription s left join claimed c on c.webhook_id = s.webhook_id
    order by s.event_id, s.webhook_id
    on conflict (webhook_id, event_id) where kind = 'auto' do nothing
    returning id, webhook_id, event_id, attempt_count
  ),
  job as (
    insert into webhooks.jobs (delivery_id, webhook_id, due_at, request_id, attempt, leased, claim)
    select d.id, d.webhook_id, now(), e.request_id, 0, false, null
    from delivery d join numbered e on e.id = d.event_id where d.attempt_count = 0
    union all
    select d.id, d.webhook_id, now() + leased.ms * interval '1 millisecond', e.request_id, 1, true, leased.claim
    from delivery d join numbered e on e.id = d.event_id cross join (select ?::uuid as claim, ?::integer as ms) leased
    where d.attempt_count = 1
  ),
  queue as (
    update webhooks.lanes l set
      served_at = case when c.webhook_id is null then l.served_at else clock_timestamp() end,
      next_due = case when c.webhook_id is null then now() else l.next_due end
    from resting w left join claimed c on c.webhook_id = w.webhook_id
    where l.webhook_id = w.webhook_id and l.webhook_id = any (array(select webhook_id from resting))
  )
  select (select count(*) from fresh)::integer as fresh,
    array(select distinct webhook_id from delivery where attempt_count = 0) as woken,
    coalesce((
      select json_agg(json_build_object(
        'delivery_id', d.id, 'webhook_id', d.webhook_id, 'event_id', d.event_id, 'event', s.event,
        'merchant_id', s.merchant_id, 'correlation_id', s.correlation_id, 'request_id', s.request_id,
        'sequence', s.sequence, 'url', s.url, 'secret', s.secret, 'previous_secret', s.previous_secret
      ))
      from delivery d join subscription s on s.webhook_id = d.webhook_id and s.event_id = d.event_id
      where d.attempt_count = 1
    ), '[]') as leased`

const fanOut = fanOutOf('')
/** The planner reads all events for this condition while there are few, so only a batch that needs it has it. */
const fanOutUnstored = fanOutOf('where not exists (select from webhooks.events stored where stored.id = e.id)')
