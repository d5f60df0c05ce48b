import { migration } from '@cobro/database'

/** The numbers of each merchant's events, in the order in which they are committed. */
export const eventSequences = migration(
  '0009-event-sequences',
  `
  -- The newest sequence of each merchant, and the first that was not deleted. What numbers an event locks its merchant's row until
  -- the commit: so numbers have no gaps, and become visible in their order.
  create table feed_heads (
    merchant_id text primary key,
    head bigint not null,
    floor bigint not null default 1
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

  -- Null for events from before this migration, and for test events.
  alter table events add column sequence bigint;

  -- Numbers events that a replica of an older release stores. One that exists already takes no number.
  create function number_event() returns trigger language plpgsql set search_path = webhooks, pg_catalog, pg_temp as $$
  begin
    -- Replicas of the older release do not store batches in the order of merchants, and would deadlock.
    perform pg_advisory_xact_lock(hashtextextended('webhooks event sequences', 0));
    if exists (select from events where id = new.id) then
      return null;
    end if;
    insert into feed_heads as f (merchant_id, head) values (new.merchant_id, 1)
      on conflict (merchant_id) do update set head = f.head + 1 returning f.head into new.sequence;
    return new;
  end
  $$;
  create trigger number_event before insert on events
    for each row when (new.sequence is null and new.event <> 'webhook.test') execute function number_event();
  `,
)
