import { type Id, type Message, newId } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { TraceCarrier } from '@cobro/runtime'
import { webhookPayload } from './webhook-payload.ts'

/** An event and the trace it was received in. */
export interface TracedMessage {
  message: Message
  trace: TraceCarrier
}

/**
 * Stores events as the bytes to send, and creates a delivery, due at once, for each subscription.
 * Stores events without subscribers too: a merchant may request them later. Returns the endpoints with new deliveries.
 */
export async function fanOutEvents(tx: Tx, messages: TracedMessage[]): Promise<string[]> {
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
  const subscribed = events.map(({ id, merchant_id, event }) => ({ id, merchant_id, event }))
  const found = await tx.execute<Subscription[]>(subscriptions, [JSON.stringify(subscribed)])
  const deliveries = found.map(({ webhook_id, event_id }) => ({ id: newId('whd'), webhook_id, event_id }))
  await tx.execute(fanOut, [JSON.stringify(events), JSON.stringify(deliveries)])
  return [...new Set(found.map(({ webhook_id }) => webhook_id))]
}

interface Subscription {
  webhook_id: Id<'whk'>
  event_id: Id<'evt'>
}

const subscriptions = `
  select w.id as webhook_id, e.id as event_id
  from json_to_recordset(?::json) as e (id text, merchant_id text, event text)
  join webhooks.endpoints w on w.merchant_id = e.merchant_id
  where w.status = 'active' and w.events && array[e.event, '*']`

/** Locks endpoint queues that are not due yet, in the order of their ids, to avoid deadlocks. */
const fanOut = `
  with given as (
    select * from json_to_recordset(?::json) as e (
      id text, merchant_id text, event text, correlation_id text, request_id text, body text, trace jsonb,
      created_at timestamptz
    )
  ),
  event as (
    insert into webhooks.events (id, merchant_id, event, correlation_id, body, trace, created_at)
    select id, merchant_id, event, correlation_id, convert_to(body, 'UTF8'), trace, created_at from given order by id
    on conflict (id) do nothing
  ),
  delivery as (
    insert into webhooks.deliveries
      (id, webhook_id, merchant_id, url, event_id, event, kind, status, next_attempt_at, correlation_id, created_at)
    select made.id, w.id, w.merchant_id, w.url, e.id, e.event, 'auto', 'pending', now(), e.correlation_id, now()
    from json_to_recordset(?::json) as made (id text, webhook_id text, event_id text)
    join given e on e.id = made.event_id
    join webhooks.endpoints w on w.id = made.webhook_id
    order by e.id, w.id
    on conflict (webhook_id, event_id) where kind = 'auto' do nothing
    returning id, webhook_id, event_id
  ),
  job as (
    insert into webhooks.jobs (delivery_id, webhook_id, due_at, request_id)
    select d.id, d.webhook_id, now(), e.request_id from delivery d join given e on e.id = d.event_id
  )
  update webhooks.lanes set next_due = now() where webhook_id in (
    select webhook_id from webhooks.lanes
    where webhook_id in (select webhook_id from delivery) and (next_due is null or next_due > now())
    order by webhook_id for update
  )`
