import { migrationInSteps } from '@cobro/database'

const classes = Array.from({ length: 16 }, (_, place) => `took_${place}`)

/**
 * Counts the attempts from before the triggers, ten thousand deliveries at a time. Beside the place that it commits with each
 * batch, so that a run that is repeated counts none twice. A delivery that was exhausted before counts in the hour of its
 * last attempt, unless it has been redelivered since: then nothing says so any more.
 */
export const pastAttemptHours = migrationInSteps('0014-past-attempt-hours', [
  `
  do $$
  declare
    done text;
    last text;
  begin
    loop
      -- Each batch reads by index, however many rows the planner expects.
      set local enable_seqscan = off;
      select through into done from webhooks.attempt_hours_filled for update;
      select max(delivery_id) into last from (
        select delivery_id from webhooks.attempts where delivery_id > done and counted is null order by delivery_id limit 10000
      ) as batch;
      exit when last is null;
      insert into webhooks.attempt_hour_changes
        (merchant_id, webhook_id, hour, attempts, succeeded, failed, exhausted, ${classes.join(', ')})
      select merchant_id, webhook_id, date_trunc('hour', at, 'UTC'), count(*),
        count(*) filter (where succeeded), count(*) filter (where not succeeded), count(*) filter (where exhausted),
        ${classes.map((_, place) => `count(*) filter (where class = ${place})`).join(', ')}
      from (
        select d.merchant_id, d.webhook_id, a.at, coalesce(a.status_code between 200 and 299, false) as succeeded,
          d.status = 'exhausted' and d.attempt_count = a.number as exhausted,
          width_bucket(a.duration_ms, '{2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768}'::integer[]) as class
        from webhooks.attempts a cross join lateral (
          select merchant_id, webhook_id, status, attempt_count from webhooks.deliveries where id = a.delivery_id offset 0
        ) d
        where a.delivery_id > done and a.delivery_id <= last and a.counted is null
      ) as sent
      group by 1, 2, 3;
      update webhooks.attempt_hours_filled set through = last;
      while webhooks.fold_attempt_hours(10000) = 10000 loop
      end loop;
      commit;
    end loop;
  end
  $$`,
])
