import { migration } from '@cobro/database'

const classes = Array.from({ length: 16 }, (_, place) => `took_${place}`)
const counts = ['attempts', 'succeeded', 'failed', 'exhausted', ...classes]
const declared = counts.map(name => `${name} integer not null default 0`).join(', ')
const columns = counts.join(', ')

/**
 * Hourly counts of attempts, for reports that read no attempts. An attempt counts in the hour in which it was sent, an exhausted
 * delivery in the hour in which it was given up. `took_0` counts attempts of less than 2 ms, `took_n` those from 2 to the power
 * of n ms up to twice that, and `took_15` also longer ones. An attempt whose sender died has no duration.
 *
 * Triggers count, so that replicas of the release before are counted too. If each batch updated counters, batches would wait
 * for each other. Instead the triggers insert changes, and the service adds these to the counts. The view adds both tables, so it
 * is exact at any time. Each change counts for three scopes: the endpoint, its merchant, and `all`.
 */
export const attemptHours = migration(
  '0013-attempt-hours',
  `
  create table attempt_hours (
    scope text collate "C" not null,
    hour timestamptz not null,
    ${declared},
    primary key (scope, hour)
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
  -- Short-lived rows: what is left of them has to be cleared away before reading past it takes longer than reading the counts.
  create table attempt_hour_changes (
    merchant_id text not null,
    webhook_id text not null,
    hour timestamptz not null,
    ${declared}
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  create view attempt_totals as
    select scope, hour, ${columns} from attempt_hours
    union all
    select s.scope, c.hour, ${counts.map(name => `c.${name}`).join(', ')}
    from attempt_hour_changes c cross join lateral (values ('all'), (c.merchant_id), (c.webhook_id)) as s (scope);

  -- Adds at most this many changes to the counts, and returns how many there were. Replicas run it concurrently: each takes changes
  -- that no other has taken, and adds them in the same order.
  create function fold_attempt_hours(most integer) returns integer language sql as $$
    with taken as (
      delete from webhooks.attempt_hour_changes
      where ctid = any (array(select ctid from webhooks.attempt_hour_changes limit most for update skip locked))
      returning *
    ), added as (
      insert into webhooks.attempt_hours as kept (scope, hour, ${columns})
      select s.scope collate "C", t.hour, ${counts.map(name => `sum(t.${name})`).join(', ')}
      from taken t cross join lateral (values ('all'), (t.merchant_id), (t.webhook_id)) as s (scope)
      group by 1, 2 order by 1, 2
      on conflict (scope, hour) do update set ${counts.map(name => `${name} = kept.${name} + excluded.${name}`).join(', ')}
    )
    select count(*)::integer from taken
  $$;
  grant execute on function fold_attempt_hours(integer) to cobro_webhooks;

  -- A claim inserts into attempts too, but seldom a row. The planner must not read all deliveries while it believes that there are few.
  create function count_attempts() returns trigger language plpgsql set enable_seqscan = off as $$
  begin
    if not exists (select from added) then
      return null;
    end if;
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
  create function count_exhausted() returns trigger language plpgsql as $$
  begin
    insert into webhooks.attempt_hour_changes (merchant_id, webhook_id, hour, exhausted)
      values (new.merchant_id, new.webhook_id, date_trunc('hour', now(), 'UTC'), 1);
    return null;
  end
  $$;

  -- Null for attempts from before the trigger, which the next migration counts. All later ones have the default.
  alter table attempts add column counted boolean;
  alter table attempts alter column counted set default true;
  create trigger count_attempts after insert on attempts
    referencing new table as added for each statement execute function count_attempts();
  create trigger count_exhausted after update on deliveries for each row
    when (new.status = 'exhausted' and old.status <> 'exhausted') execute function count_exhausted();

  -- The last delivery whose attempts from before the triggers have been counted.
  create table attempt_hours_filled (through text collate "C" not null);
  insert into attempt_hours_filled values ('');
  `,
)
