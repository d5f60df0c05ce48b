import type { Tx } from '@cobro/database'
import { roomOf } from './merchant-share.ts'

/** A delivery that is to be sent now. The lease is this claim's until it ends or the next claim counts the attempt up. */
export interface Job {
  delivery_id: string
  webhook_id: string
  event_id: string
  event: string
  merchant_id: string
  correlation_id: string | null
  /** The call that it follows from. */
  request_id: string | null
  /** 1 for the first attempt. Counted when claimed, so that a sender that dies cannot exceed the limit. */
  attempt: number
  /** Whether the attempt before this one was never concluded: its sender died, and nobody knows what it came to. */
  abandoned: boolean
  /** How many attempts were made before the single one that somebody asked for; null where the clock makes attempts. */
  one_shot_after: number | null
  url: string
  /** The endpoint's sealed secret and status; null where the endpoint has been deleted. */
  secret: string | null
  /** The sealed secret of before the newest rotation, while it signs as well. */
  previous_secret: string | null
  endpoint_status: 'active' | 'disabled' | null
  body: Buffer
  trace: { traceparent?: string; baggage?: string }
}

/** What a claim found out about one endpoint besides its jobs. */
interface ServedLane {
  webhook_id: string
  /** As much as an endpoint may have in flight is in flight: there is no use in coming back before one of them ends. */
  full: boolean
  /** Something is due still, and there is room for it. */
  more: boolean
}

/**
 * How much may be claimed at once. `id` is this claim's own, by which its jobs are found again where its answer is lost.
 * `woken` names endpoints that have something due, whatever their lanes say.
 */
export interface ClaimLimits {
  id: string
  lanes: number
  quantum: number
  leaseMs: number
  woken: string[]
  /** How many more this process may have in flight, and how many each merchant has there now. */
  free: number
  inFlight: ReadonlyMap<string, number>
}

export interface Claim {
  jobs: Job[]
  lanes: ServedLane[]
}

const maxInFlightPerEndpoint = 10
const fullLaneRestMs = 1_000

/**
 * Leases due jobs, at most `quantum` for each of at most `lanes` endpoints, those first that had their turn longest ago, and
 * for no merchant more than its share.
 */
export async function claimJobs(
  tx: Tx,
  { id, lanes, quantum, leaseMs, woken, free, inFlight }: ClaimLimits,
): Promise<Claim> {
  type Row = ServedLane & { [K in keyof Job]: Job[K] | null }
  const rooms = [...inFlight].map(([merchantId, own]) => [merchantId, roomOf(free, own)] as const)
  const sated = rooms.filter(([, room]) => room === 0).map(([merchantId]) => merchantId)
  const rows = await tx.execute<Row[]>(claim, [
    ...[arrayOf(woken), arrayOf(sated), lanes],
    ...[JSON.stringify(Object.fromEntries(rooms)), roomOf(free, 0)],
    ...[maxInFlightPerEndpoint, quantum, id, leaseMs, leaseMs],
    ...[fullLaneRestMs],
  ])
  return {
    jobs: rows.filter(row => row.delivery_id !== null) as (ServedLane & Job)[],
    lanes: [...new Map(rows.map(({ webhook_id, full, more }) => [webhook_id, { webhook_id, full, more }])).values()],
  }
}

function arrayOf(ids: string[]): string {
  return `{${ids.join(',')}}`
}

/**
 * A lane is locked while its jobs are claimed, so the limit of one endpoint holds over all replicas. A lane that somebody
 * served after this statement took its snapshot is left out: the snapshot does not show what is in flight there. Jobs whose
 * lease ran out are due like others, and the attempt that came to nothing is noted as unknown. The quantum is a plain limit
 * and the rooms are conditions behind it: a limit that the planner cannot see it takes for a tenth of the whole backlog. A
 * merchant's room is given out evenly over its endpoints; those of a merchant without any are passed over and stay due.
 */
const claim = `
  with ready as (
    select webhook_id, served_at, coalesce(merchant_id, webhook_id) as merchant_id from webhooks.lanes
    where (next_due <= now() or webhook_id = any(?::text[])) and coalesce(merchant_id, '') <> all(?::text[])
    order by served_at limit ? for update skip locked
  ),
  open as (
    select r.webhook_id, r.merchant_id, coalesce((?::jsonb ->> r.merchant_id)::integer, ?) as merchant_room,
      greatest(0, ? - flying.number)::integer as room
    from ready r
    join webhooks.lanes seen on seen.webhook_id = r.webhook_id and seen.served_at = r.served_at
    cross join lateral (
      select count(*) as number from webhooks.jobs j where j.webhook_id = r.webhook_id and j.leased and j.due_at > now()
    ) flying
  ),
  picked as (
    select o.room, o.merchant_id, o.merchant_room, j.*,
      row_number() over (partition by j.webhook_id order by j.due_at, j.delivery_id) as place
    from open o cross join lateral (
      select delivery_id, webhook_id, leased as abandoned, due_at from webhooks.jobs
      where webhook_id = o.webhook_id and due_at <= now() and o.room > 0
      order by due_at, delivery_id limit ? for update skip locked
    ) j
  ),
  fitting as (
    select picked.*, row_number() over (partition by merchant_id order by place, due_at) as merchant_place
    from picked where place <= room
  ),
  claimed as (
    update webhooks.jobs j
    set attempt = attempt + 1, leased = true, claim = ?, due_at = now() + ? * interval '1 millisecond'
    from fitting p where j.delivery_id = p.delivery_id and p.merchant_place <= p.merchant_room
    returning j.delivery_id, j.webhook_id, j.attempt, j.one_shot_after, j.request_id, p.abandoned,
      p.due_at as lease_ended_at
  ),
  unknown as (
    insert into webhooks.attempts (delivery_id, number, at, error)
    select delivery_id, attempt - 1, lease_ended_at - ? * interval '1 millisecond', 'unknown' from claimed where abandoned
    on conflict do nothing
  ),
  delivering as (
    update webhooks.deliveries d
    set status = 'delivering', attempt_count = c.attempt, next_attempt_at = null, url = coalesce(w.url, d.url)
    from claimed c left join webhooks.endpoints w on w.id = c.webhook_id where d.id = c.delivery_id
    returning c.delivery_id, c.webhook_id, c.attempt, c.one_shot_after, c.request_id, c.abandoned, d.event_id, d.event,
      d.merchant_id, d.correlation_id, d.url, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as previous_secret,
      w.status as endpoint_status
  ),
  served as (
    update webhooks.lanes l set
      served_at = clock_timestamp(),
      next_due = case when o.room <= o.taken then now() + ? * interval '1 millisecond' else o.rest_due end
    from (
      select open.*, (select count(*) from claimed c where c.webhook_id = open.webhook_id) as taken, (
        select j.due_at from webhooks.jobs j
        where j.webhook_id = open.webhook_id and j.delivery_id not in (select delivery_id from claimed)
        order by j.due_at limit 1
      ) as rest_due
      from open
    ) o
    where l.webhook_id = o.webhook_id
    returning l.webhook_id, o.room <= o.taken as full, o.room > o.taken and coalesce(o.rest_due <= now(), false) as more
  )
  select served.webhook_id, served.full, served.more, d.delivery_id, d.attempt, d.one_shot_after, d.request_id, d.abandoned,
    d.event_id, d.event, d.merchant_id, d.correlation_id, d.url, d.secret, d.previous_secret, d.endpoint_status, e.body, e.trace
  from served
  left join delivering d on d.webhook_id = served.webhook_id
  left join webhooks.events e on e.id = d.event_id`
