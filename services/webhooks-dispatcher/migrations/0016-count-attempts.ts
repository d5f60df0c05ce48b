import { migration } from '@cobro/database'

const classes = Array.from({ length: 16 }, (_, place) => `took_${place}`)

/**
 * Counts attempts without checking first whether there are any. The check was for claims, which inserted into attempts but seldom
 * a row. Now only claims of deliveries whose sender died insert, so the check cost each recorded attempt a query.
 */
export const countAttempts = migration(
  '0016-count-attempts',
  `
  create or replace function count_attempts() returns trigger language plpgsql set enable_seqscan = off as $$
  begin
    insert into webhooks.attempt_hour_changes (merchant_id, webhook_id, hour, attempts, succeeded, failed, ${classes.join(', ')})
    select merchant_id, webhook_id, date_trunc('hour', at, 'UTC'), count(*),
      count(*) filter (where succeeded), count(*) filter (where not succeeded),
      ${classes.map((_, place) => `count(*) filter (where class = ${place})`).join(', ')}
    from (
      select d.merchant_id, d.webhook_id, a.at, coalesce(a.status_code between 200 and 299, false) as succeeded,
        width_bucket(a.duration_ms, '{2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768}'::integer[]) as class
      from added a
      cross join lateral (select merchant_id, webhook_id from webhooks.deliveries where id = a.delivery_id offset 0) d
    ) as sent
    group by 1, 2, 3;
    return null;
  end
  $$;
  `,
)
