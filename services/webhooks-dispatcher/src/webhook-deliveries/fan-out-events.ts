import { type Id, lowestId, type Message } from '@cobro/contracts'
import type { Inbox } from '@cobro/database'
import type { TraceCarrier } from '@cobro/runtime'
import { webhookPayload } from './webhook-payload.ts'

/** An event and the trace it was received in. */
export interface TracedMessage {
  message: Message
  trace: TraceCarrier
}

/**
 * Stores events that were not received before as the bytes to send, and creates a delivery, due at once, for each subscription.
 * Stores events without subscribers too: a merchant may request them later. Returns the endpoints with new deliveries.
 */
export async function fanOutEvents(inbox: Pick<Inbox, 'onceEach'>, messages: TracedMessage[]): Promise<string[]> {
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
  const { webhook_ids } = await inbox.onceEach<FanOut>(ids, fanOut, [JSON.stringify(events), idStart()])
  return webhook_ids
}

interface FanOut {
  fresh: number
  webhook_ids: Id<'whk'>[]
}

/** The prefix and time of a delivery's id. PostgreSQL adds 16 digits of a random UUID, as it also finds the subscriptions. */
const idStart = () => lowestId('whd', Date.now()).slice(0, -16)

/**
 * Locks endpoint queues that are not due yet, in the order of their ids, to avoid deadlocks. `offset 0` makes the planner
 * look up the endpoints of each event: it assumes a hundred events, and would read all endpoints for them.
 */
const fanOut = `,
  given as (
    select distinct on (e.id) e.* from fresh join json_to_recordset(?::json) as e (
      id text, merchant_id text, event text, correlation_id text, request_id text, body text, trace jsonb,
      created_at timestamptz
    ) on e.id = fresh.message_id
    order by e.id
  ),
  event as (
    insert into webhooks.events (id, merchant_id, event, correlation_id, body, trace, created_at)
    select id, merchant_id, event, correlation_id, convert_to(body, 'UTF8'), trace, created_at from given order by id
    on conflict (id) do nothing
  ),
  delivery as (
    insert into webhooks.deliveries
      (id, webhook_id, merchant_id, url, event_id, event, kind, status, next_attempt_at, correlation_id, created_at)
    select ? || translate(right(gen_random_uuid()::text, 17), '-', ''),
      w.id, w.merchant_id, w.url, e.id, e.event, 'auto', 'pending', now(), e.correlation_id, now()
    from given e cross join lateral (
      select id, merchant_id, url from webhooks.endpoints
      where merchant_id = e.merchant_id and status = 'active' and events && array[e.event, '*'] offset 0
    ) w
    order by e.id, w.id
    on conflict (webhook_id, event_id) where kind = 'auto' do nothing
    returning id, webhook_id, event_id
  ),
  job as (
    insert into webhooks.jobs (delivery_id, webhook_id, due_at, request_id)
    select d.id, d.webhook_id, now(), e.request_id from delivery d join given e on e.id = d.event_id
  ),
  queue as (
    update webhooks.lanes set next_due = now() where webhook_id in (
      select webhook_id from webhooks.lanes
      where webhook_id in (select webhook_id from delivery) and (next_due is null or next_due > now())
      order by webhook_id for update
    )
  )
  select (select count(*) from fresh)::integer as fresh, array(select distinct webhook_id from delivery) as webhook_ids`
