import { messageTables, migration } from '@cobro/database'

/**
 * Endpoints, sent events, deliveries with their attempts, and the queue, whose tables (`jobs` for
 * deliveries, `lanes` for endpoint queues) are narrow and separate, so that they stay small as the history grows.
 */
export const webhookTables = migration(
  '0001-webhooks',
  `
  ${messageTables}
  create table endpoints (
    id text primary key,
    merchant_id text not null,
    url text not null,
    events text[] not null,
    status text not null check (status in ('active', 'disabled')),
    disabled_reason text,
    secret text not null,
    secret_masked text not null,
    description text,
    exhausted_in_a_row integer not null default 0,
    last_delivery_at timestamptz(3),
    last_delivery_status text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index endpoints_newest on endpoints (merchant_id, created_at desc, id desc);

  -- The body is serialised once. These very bytes are signed and sent, to every endpoint and at every attempt.
  create table events (
    id text primary key,
    merchant_id text not null,
    event text not null,
    correlation_id text,
    body bytea not null,
    trace jsonb not null,
    created_at timestamptz(3) not null
  );

  create table deliveries (
    id text primary key,
    webhook_id text not null,
    merchant_id text not null,
    event_id text not null references events (id),
    event text not null,
    url text not null,
    kind text not null,
    status text not null
      check (status in ('pending', 'delivering', 'succeeded', 'failed', 'exhausted', 'cancelled')),
    attempt_count integer not null default 0,
    next_attempt_at timestamptz(3),
    response_status integer,
    response_body text,
    correlation_id text,
    created_at timestamptz(3) not null,
    delivered_at timestamptz(3)
  );
  create unique index deliveries_automatic on deliveries (webhook_id, event_id) where kind = 'auto';
  create index deliveries_newest on deliveries (merchant_id, created_at desc, id desc);
  create index deliveries_of_webhook on deliveries (webhook_id, created_at desc, id desc);
  create index deliveries_event on deliveries (event_id);
  create index deliveries_correlation on deliveries (correlation_id);

  -- What is still to be sent. A claimed job is leased and becomes due when its lease ends, so a sender that died leaves
  -- nothing to clean up. Each claim counts the attempt up, so the attempt's number distinguishes one lease from the next.
  create table jobs (
    delivery_id text primary key,
    webhook_id text not null,
    due_at timestamptz not null,
    attempt integer not null default 0,
    leased boolean not null default false
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
  create index jobs_due on jobs (webhook_id, due_at, delivery_id);
  create index jobs_leased on jobs (webhook_id) where leased;

  -- One row for each endpoint: when it next has something due, and when it last had its turn.
  create table lanes (
    webhook_id text primary key,
    next_due timestamptz,
    served_at timestamptz not null default now()
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
  create index lanes_due on lanes (next_due);

  -- By month of the delivery, so that old attempts are dropped with their partition. Ids sort by time in the C collation.
  create table attempts (
    delivery_id text collate "C" not null,
    number integer not null,
    at timestamptz(3) not null,
    duration_ms integer,
    status_code integer,
    error text,
    response_body text,
    primary key (delivery_id, number)
  ) partition by range (delivery_id);

  create function first_delivery_id(at timestamptz) returns text language plpgsql immutable set search_path = pg_catalog as $$
  declare
    rest bigint := floor(extract(epoch from at) * 1000);
    digits text := '';
  begin
    for i in 1..10 loop
      digits := substr('0123456789abcdefghjkmnpqrstvwxyz', (rest % 32)::integer + 1, 1) || digits;
      rest := rest / 32;
    end loop;
    return 'whd_' || digits;
  end
  $$;

  -- The service itself may not make tables, so this runs with the owner's rights.
  create function make_attempt_partitions(months_ahead integer) returns void
    language plpgsql security definer set search_path = webhooks, pg_catalog, pg_temp as $$
  declare
    -- A local time without a zone: months begin at midnight in UTC whatever the session's zone is.
    first timestamp := date_trunc('month', now() at time zone 'UTC');
    month timestamp;
    partition text;
  begin
    perform pg_advisory_xact_lock(hashtextextended('webhooks partitions', 0));
    for month in select generate_series(first, first + make_interval(months => months_ahead), interval '1 month') loop
      partition := 'attempts_' || to_char(month, 'YYYY_MM');
      continue when to_regclass('webhooks.' || partition) is not null;
      execute format(
        'create table %I partition of attempts for values from (%L) to (%L)',
        partition,
        first_delivery_id(month at time zone 'UTC'),
        first_delivery_id((month + interval '1 month') at time zone 'UTC')
      );
    end loop;
  end
  $$;
  grant execute on function make_attempt_partitions(integer) to cobro_webhooks;
  select make_attempt_partitions(3);
  `,
)
