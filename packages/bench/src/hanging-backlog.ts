import type { Pool } from 'pg'

/** Points an endpoint at a URL that never responds; inserts its deliveries as the fan-out does. */
export async function addHangingBacklog(
  pool: Pool,
  { merchant, url, size }: { merchant: string; url: string; size: number },
): Promise<void> {
  await pool.query('update webhooks.endpoints set url = $2 where merchant_id = $1', [merchant, url])
  await pool.query(insert, [merchant, size])
}

/** The ids are valid and sort after all existing ones; those of deliveries are of the current month. */
const insert = `
  with made as (
    select w.id as webhook_id, w.url, lpad(n::text, 16, '0') as rest from webhooks.endpoints w, generate_series(1, $2::integer) n
    where w.merchant_id = $1
  ),
  event as (
    insert into webhooks.events (id, merchant_id, event, body, trace, created_at, sequence)
    select 'evt_' || '7backdata0' || rest, $1, 'payment.approved', '{}', '{}', now(), head + row_number() over ()
    from made, webhooks.feed_heads h where h.merchant_id = $1
    returning id
  ),
  numbered as (update webhooks.feed_heads set head = head + $2 where merchant_id = $1),
  delivery as (
    insert into webhooks.deliveries (id, webhook_id, merchant_id, event_id, event, url, kind, status, next_attempt_at, created_at)
    select webhooks.first_delivery_id(now()) || rest, webhook_id, $1, 'evt_' || '7backdata0' || rest, 'payment.approved', url,
      'auto', 'pending', now(), now()
    from made returning id, webhook_id
  ),
  job as (
    insert into webhooks.jobs (delivery_id, webhook_id, due_at) select id, webhook_id, now() from delivery
  )
  update webhooks.lanes set next_due = now() where webhook_id in (select webhook_id from made)`
