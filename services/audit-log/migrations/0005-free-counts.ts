import { migration } from '@cobro/database'

/**
 * Counts the events of a month before taking any lock. Creating partitions takes the same lock as
 * dropping one, and a service that starts creates partitions first: it must not wait for hours until a count is done.
 */
export const freeCounts = migration(
  '0005-free-counts',
  `
  create or replace function drop_partition(retired date) returns bigint
    language plpgsql security definer set search_path = audit, pg_temp set lock_timeout = '3s' as $$
  declare
    name text := 'events_' || to_char(retired, 'YYYY_MM');
    said bigint;
    there bigint;
    newest bigint;
    newest_now bigint;
  begin
    if retired >= date_trunc('month', now() at time zone 'UTC') - interval '12 months' then
      raise exception 'the month % is kept: it ended less than a year ago', to_char(retired, 'YYYY-MM')
        using errcode = 'insufficient_privilege';
    end if;
    select (convert_from(content, 'UTF8')::jsonb -> 'metadata' ->> 'events')::bigint into said
      from retirements where month = retired;
    execute format('select count(*), max(seq) from %I', name) into there, newest;
    if said is distinct from there then
      raise exception 'the month % holds % events and % are retired', to_char(retired, 'YYYY-MM'), there, coalesce(said, 0)
        using errcode = 'insufficient_privilege';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('audit partitions', 0));
    -- Readers and writers lock the parent table before the partition too; another order would deadlock with them.
    -- All who come later queue up behind this lock, so it is not waited for while a long search runs.
    lock table only events in access exclusive mode;
    execute format('select max(seq) from %I', name) into newest_now;
    if newest_now is distinct from newest then
      raise exception 'the month % has got events since % were retired', to_char(retired, 'YYYY-MM'), said
        using errcode = 'insufficient_privilege';
    end if;
    execute format('alter table events detach partition %I', name);
    execute format('drop table %I', name);
    return there;
  end
  $$;
  `,
)
