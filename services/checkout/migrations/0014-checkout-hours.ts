import { migration } from '@cobro/database'

/** A payer who paid has tried, and one who tried has opened the page: each step of the funnel includes the next. */
const isCompleted = (row: string) => `${row}.status in ('completed', 'paid')`
const isAttempted = (row: string) => `(${row}.attempt_count > 0 or ${isCompleted(row)})`
const isViewed = (row: string) => `(${row}.viewed_at is not null or ${isAttempted(row)})`

/** What a row is counted by: no other change fires a trigger. */
const counted = (row: string) =>
  `${row}.merchant_id, ${row}.created_at, ${row}.status, ${isViewed(row)}, ${isAttempted(row)}`
const bothSides = `values (tg_argv[0], -1, ${counted('old')}), (tg_argv[0], 1, ${counted('new')})`

const steps = {
  created: 'true',
  viewed: 'is_viewed',
  attempted: 'is_attempted',
  completed: isCompleted('counted'),
  expired: `status = 'expired'`,
  cancelled: `status = 'cancelled'`,
}
const names = Object.keys(steps)
const sums = Object.entries(steps).map(([name, step]) => `sum(case when ${step} then side else 0 end) as ${name}`)
const sumHours = (rows: string) => `
      select merchant_id, date_trunc('hour', created_at, 'UTC') as hour, kind, ${sums.join(', ')}
      from (${rows}) as counted (kind, side, merchant_id, created_at, status, is_viewed, is_attempted)
      group by merchant_id, date_trunc('hour', created_at, 'UTC'), kind`
const record = (rows: string) => `
    insert into checkout.checkout_hour_changes${sumHours(rows)};
    return null;`

const allRows = `
      select 'session', 1, ${counted('checkout_sessions')} from checkout_sessions
      union all select 'link', 1, ${counted('payment_links')} from payment_links`

const triggers = (table: string, kind: string) => `
  create trigger hours_added after insert on ${table}
    referencing new table as added for each statement execute function hours_added('${kind}');
  create trigger hours_removed after delete on ${table}
    referencing old table as removed for each statement execute function hours_removed('${kind}');
  create trigger hours_changed after update on ${table} for each row
    when ((${counted('old')}) is distinct from (${counted('new')})) execute function hours_changed('${kind}');`

const columns = names.map(name => `${name} bigint not null`).join(', ')

/**
 * What became of the sessions and links that were created in an hour, kept as the counts of transactions are: a trigger
 * inserts each change as a row, so that concurrent changes never wait for each other, and the service adds the changes to the
 * hours. The views add both tables, so they are exact at any time. What exists is added by the next migration.
 */
export const checkoutHours = migration(
  '0014-checkout-hours',
  `
  create table checkout_hours (
    merchant_id text not null, hour timestamptz not null, kind text not null, ${columns},
    primary key (merchant_id, hour, kind)
  );
  create table checkout_hours_of_all (
    hour timestamptz not null, kind text not null, ${columns},
    primary key (hour, kind)
  );
  -- Short-lived rows: what is left of them has to be cleared away before reading past it takes longer than reading the hours.
  create table checkout_hour_changes (
    merchant_id text not null, hour timestamptz not null, kind text not null, ${columns}
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  create view checkout_hour_totals as
    select * from checkout_hours union all select * from checkout_hour_changes;
  create view checkout_hour_totals_of_all as
    select * from checkout_hours_of_all
    union all select hour, kind, ${names.join(', ')} from checkout_hour_changes;
  -- What the totals must be, by all rows.
  create view checkout_hours_recounted as ${sumHours(allRows)};

  create function hours_added() returns trigger language plpgsql as $$
  begin${record(`select tg_argv[0], 1, ${counted('added')} from added`)}
  end
  $$;
  create function hours_removed() returns trigger language plpgsql as $$
  begin${record(`select tg_argv[0], -1, ${counted('removed')} from removed`)}
  end
  $$;
  create function hours_changed() returns trigger language plpgsql as $$
  begin${record(bothSides)}
  end
  $$;
  ${triggers('checkout_sessions', 'session')}
  ${triggers('payment_links', 'link')}
  `,
)
