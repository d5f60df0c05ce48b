import { type Message, newId } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { captureTrace } from '@cobro/runtime'
import { envelopeOf } from './envelope.ts'

/**
 * Keeps an event in the bytes in which it will be sent, and makes one delivery, due at once, for each endpoint that is
 * subscribed to it. Events without subscribers are kept too: a merchant may ask for them to be sent later. Gives the
 * endpoints that have something to do.
 */
export async function fanOutEvent(tx: Tx, message: Message): Promise<string[]> {
  const webhookIds = await subscribersOf(tx, message)
  const { id, name, merchant_id, correlation_id, occurred_at } = message
  await tx.execute(fanOut, [
    ...[id, merchant_id, name, correlation_id, envelopeOf(message), JSON.stringify(captureTrace()), occurred_at],
    ...[id, name, correlation_id],
    ...[arrayOf(webhookIds.map(() => newId('whd'))), arrayOf(webhookIds)],
  ])
  return webhookIds
}

async function subscribersOf(tx: Tx, { merchant_id, name }: Message): Promise<string[]> {
  const rows = await tx.execute<{ id: string }[]>(
    `select id from webhooks.endpoints where merchant_id = ? and status = 'active' and events && array[?, '*']`,
    [merchant_id, name],
  )
  return rows.map(row => row.id)
}

function arrayOf(ids: string[]): string {
  return `{${ids.join(',')}}`
}

/**
 * One statement for it all. Lanes are locked in the order of their ids, so that two events never wait for each other in a
 * circle, and only where they would not be looked at soon anyhow.
 */
const fanOut = `
  with event as (
    insert into webhooks.events (id, merchant_id, event, correlation_id, body, trace, created_at)
    values (?, ?, ?, ?, ?, ?::jsonb, ?::timestamptz)
    on conflict (id) do nothing
  ),
  delivery as (
    insert into webhooks.deliveries
      (id, webhook_id, merchant_id, url, event_id, event, kind, status, next_attempt_at, correlation_id, created_at)
    select made.id, w.id, w.merchant_id, w.url, ?, ?, 'auto', 'pending', now(), ?, now()
    from unnest(?::text[], ?::text[]) as made (id, webhook_id)
    join webhooks.endpoints w on w.id = made.webhook_id
    on conflict (webhook_id, event_id) where kind = 'auto' do nothing
    returning id, webhook_id
  ),
  job as (
    insert into webhooks.jobs (delivery_id, webhook_id, due_at) select id, webhook_id, now() from delivery
  )
  update webhooks.lanes set next_due = now() where webhook_id in (
    select webhook_id from webhooks.lanes
    where webhook_id in (select webhook_id from delivery) and (next_due is null or next_due > now())
    order by webhook_id for update
  )`
