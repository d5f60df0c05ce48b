import { migration } from '@cobro/database'

/**
 * Turns the log into a Merkle tree. Each event gets a sequence number (`seq`) and the exact bytes
 * to hash (`content`), existing events in the order of their ids. The service hashes those before it consumes its first
 * message. Adds functions to create and to drop a month; only the keeper may drop one.
 */
export const tamperEvidence = migration(
  '0002-tamper-evidence',
  `
  alter table events add column seq bigint, add column content bytea;
  alter table events disable trigger immutable;
  update events set seq = placed.seq, content = convert_to(placed.row::text, 'UTF8')
    from (
      select id, row_number() over (order by id) as seq, to_jsonb(e) - 'seq' - 'content' || jsonb_build_object(
        'occurred_at', to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) as row
      from events e
    ) as placed
    where placed.id = events.id;
  alter table events enable always trigger immutable;
  alter table events alter column seq set not null, alter column content set not null;
  create index events_seq on events (seq);

  -- With the time in the key a page of a lifecycle is read in its order, and Postgres has no reason to walk through all that
  -- happened lately until it has a page full, as it did in a month that it had not looked at yet: 100 ms instead of 0.4.
  drop index events_correlation, events_target;
  create index events_correlation on events (correlation_id, occurred_at desc) where correlation_id is not null;
  create index events_target on events (target_id, occurred_at desc) where target_id is not null;

  -- One for each batch. It holds the hashes of the batch's events, so that the tree can be checked when they are gone.
  create table checkpoints (
    size bigint primary key check (size > 0),
    leaves bytea not null check (octet_length(leaves) between 32 and 32 * size and octet_length(leaves) % 32 = 0),
    frontier bytea not null,
    note text not null,
    created_at timestamptz(3) not null
  );
  create index checkpoints_created on checkpoints (created_at);
  select make_immutable('checkpoints');

  -- The months whose events are no longer here: a copy of the event that says so, which is a leaf of the tree as well.
  create table retirements (
    month date primary key check (extract(day from month) = 1),
    seq bigint not null,
    content bytea not null
  );
  select make_immutable('retirements');

  -- The end of the tree: who appends holds this row, so that there is one end and no gap. Rows from before the tree are placed
  -- up to "placed" and wait to be hashed while "size" is less.
  create table tree_head (
    single boolean primary key default true check (single),
    size bigint not null,
    frontier bytea not null,
    previous bytea not null,
    placed bigint not null check (size >= 0 and placed >= 0)
  );
  insert into tree_head (size, frontier, previous, placed)
    select 0, '', sha256(''), coalesce(max(seq), 0) from events;
  revoke insert on tree_head from cobro_audit;
  grant update (size, frontier, previous) on tree_head to cobro_audit;

  create function make_month(month date) returns void language plpgsql set search_path = audit, pg_temp as $$
  declare
    name text := 'events_' || to_char(month, 'YYYY_MM');
    starts timestamp := date_trunc('month', month);
  begin
    -- Made apart and then attached: inserts go on meanwhile, which "create table … partition of" would hold up.
    execute format('create table %I (like events including all)', name);
    execute format('revoke all on %I from cobro_audit', name);
    perform make_immutable(name::regclass);
    execute format(
      'alter table events attach partition %I for values from (%L) to (%L)',
      name, id_floor(starts at time zone 'UTC'), id_floor((starts + interval '1 month') at time zone 'UTC')
    );
  end
  $$;

  create or replace function make_partitions() returns integer
    language plpgsql security definer set search_path = audit, pg_temp as $$
  declare
    this_month timestamp := date_trunc('month', now() at time zone 'UTC');
    newest date;
    month timestamp;
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
      perform make_month(month::date);
      made := made + 1;
    end loop;
    return made;
  end
  $$;

  -- Drops a month that lies a year back and whose events were counted into a retirement. The keeper's login may call it and
  -- nothing else: the service, which may say that a month goes, cannot make it go, and the keeper cannot say so.
  create function drop_partition(retired date) returns bigint
    language plpgsql security definer set search_path = audit, pg_temp as $$
  declare
    name text := 'events_' || to_char(retired, 'YYYY_MM');
    said bigint;
    there bigint;
  begin
    perform pg_advisory_xact_lock(hashtextextended('audit partitions', 0));
    if retired >= date_trunc('month', now() at time zone 'UTC') - interval '12 months' then
      raise exception 'the month % is kept: it ended less than a year ago', to_char(retired, 'YYYY-MM')
        using errcode = 'insufficient_privilege';
    end if;
    select (convert_from(content, 'UTF8')::jsonb -> 'metadata' ->> 'events')::bigint into said
      from retirements where month = retired;
    -- Readers and writers lock the parent table before the partition too; another order would deadlock with them.
    lock table only events in access exclusive mode;
    execute format('select count(*) from %I', name) into there;
    if said is distinct from there then
      raise exception 'the month % holds % events and % are retired', to_char(retired, 'YYYY-MM'), there, coalesce(said, 0)
        using errcode = 'insufficient_privilege';
    end if;
    execute format('alter table events detach partition %I', name);
    execute format('drop table %I', name);
    return there;
  end
  $$;
  grant usage on schema audit to cobro_audit_keeper;
  grant execute on function drop_partition(date) to cobro_audit_keeper;
  `,
)
