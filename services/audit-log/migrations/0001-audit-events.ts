import { migration } from '@cobro/database'

/**
 * The log: a row per event, partitioned by the id's month, so the primary key prevents duplicates.
 * Rows never change: the service's role may only insert, and a trigger rejects changes even by the owner.
 */
export const auditEvents = migration(
  '0001-audit-events',
  `
  create table events (
    id text collate "C" primary key,
    action text not null,
    category text not null,
    correlation_id text,
    request_id text,
    target_id text,
    merchant_id text,
    actor jsonb not null,
    method text,
    path text,
    status_code integer,
    ip text,
    user_agent text,
    duration_ms integer,
    trace_id text,
    amount_cents bigint,
    currency text,
    metadata jsonb,
    occurred_at timestamptz(3) not null
  ) partition by range (id);
  create index events_newest on events (occurred_at desc, id desc);
  create index events_merchant on events (merchant_id, occurred_at desc, id desc) where merchant_id is not null;
  create index events_correlation on events (correlation_id) where correlation_id is not null;
  create index events_request on events (request_id) where request_id is not null;
  create index events_target on events (target_id) where target_id is not null;

  create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'audit events are never changed: % on % is refused', lower(tg_op), tg_table_name
      using errcode = 'insufficient_privilege';
  end
  $$;

  -- For each statement: it also fires where no row matches, and unlike a trigger for rows it stops TRUNCATE. "Always" keeps
  -- session_replication_role from switching it off.
  create function make_immutable(log regclass) returns void language plpgsql as $$
  begin
    execute format(
      'create trigger immutable before update or delete or truncate on %s for each statement execute function refuse_change()', log
    );
    execute format('alter table %s enable always trigger immutable', log);
  end
  $$;
  select make_immutable('events');

  -- The smallest id that an event of that moment may have: ids begin with their milliseconds in ten base32 digits.
  create function id_floor(moment timestamptz) returns text language sql immutable as $$
    select 'evt_' || string_agg(
      substr('0123456789abcdefghjkmnpqrstvwxyz', ((extract(epoch from moment) * 1000)::bigint >> 5 * place & 31)::integer + 1, 1),
      '' order by place desc
    )
    from generate_series(0, 9) as place
  $$;

  -- Makes the partitions that are missing from the newest one up to three months ahead; in an empty log from last month on,
  -- for events that waited in a queue or spool. Any number of replicas may call it at the same time.
  create function make_partitions() returns integer language plpgsql security definer set search_path = audit, pg_temp as $$
  declare
    this_month timestamp := date_trunc('month', now() at time zone 'UTC');
    newest date;
    month timestamp;
    name text;
    made integer := 0;
  begin
    perform pg_advisory_xact_lock(hashtextextended('audit partitions', 0));
    select max(to_date(right(inhrelid::regclass::text, 7), 'YYYY_MM')) into newest
      from pg_inherits where inhparent = 'events'::regclass;
    for month in
      select generate_series(
        coalesce(newest + interval '1 month', this_month - interval '1 month'), this_month + interval '3 months', '1 month'
      )
    loop
      name := 'events_' || to_char(month, 'YYYY_MM');
      -- Made apart and then attached: inserts go on meanwhile, which "create table … partition of" would hold up.
      execute format('create table %I (like events including all)', name);
      execute format('revoke all on %I from cobro_audit', name);
      perform make_immutable(name::regclass);
      execute format(
        'alter table events attach partition %I for values from (%L) to (%L)',
        name, id_floor(month at time zone 'UTC'), id_floor((month + interval '1 month') at time zone 'UTC')
      );
      made := made + 1;
    end loop;
    return made;
  end
  $$;
  grant execute on function make_partitions() to cobro_audit;
  select make_partitions();
  `,
)
