import { migration } from '@cobro/database'

/** An index and a function to delete old events, deliveries and attempts. */
export const retention = migration(
  '0004-retention',
  `
  -- Ids sort by time in the C collation, like the partitions of attempts.
  create index deliveries_age on deliveries (id collate "C");
  create index events_age on events (created_at);
  grant execute on function first_delivery_id(timestamptz) to cobro_webhooks;

  -- Drops the partitions of months before the given one that are over, but for those to which deliveries still belong: an attempt that
  -- cannot be recorded would hold up its endpoint. The service itself may not drop tables, so this runs with the owner's rights.
  create function drop_attempt_partitions(first_kept timestamptz) returns text[]
    language plpgsql security definer set search_path = webhooks, pg_catalog, pg_temp set lock_timeout = '3s' as $$
  declare
    partition record;
    dropped text[] := '{}';
  begin
    perform pg_advisory_xact_lock(hashtextextended('webhooks partitions', 0));
    for partition in
      select c.relname as name, to_date(right(c.relname, 7), 'YYYY_MM')::timestamp as month
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'webhooks.attempts'::regclass
      order by c.relname
    loop
      exit when partition.month >= date_trunc('month', least(first_kept, now()) at time zone 'UTC');
      continue when exists (
        select 1 from deliveries
        where id collate "C" >= first_delivery_id(partition.month at time zone 'UTC')
          and id collate "C" < first_delivery_id((partition.month + interval '1 month') at time zone 'UTC')
      );
      execute format('drop table %I', partition.name);
      dropped := dropped || partition.name::text;
    end loop;
    return dropped;
  end
  $$;
  revoke execute on function drop_attempt_partitions(timestamptz) from public;
  grant execute on function drop_attempt_partitions(timestamptz) to cobro_webhooks;
  `,
)
