import { migration } from '@cobro/database'

const paymentColumns = [
  ...['attempted', 'approved', 'approved_cents', 'fee_cents', 'declined', 'failed'],
  ...['refunded', 'refunded_cents', 'chargebacks', 'chargeback_cents'],
]
const declineColumns = ['count', 'cents']
const paymentKey = ['currency', 'hour', 'payment_method', 'rail', 'card_brand']
const declineKey = ['currency', 'hour', 'reason', 'payment_method', 'rail', 'card_brand']

/** The hours of payments that some changes of transactions and disputes count in. */
const paymentsOf = (changes: string) => `
  select merchant_id, currency, payment_method, rail, coalesce(card_brand, '') as card_brand, measured.*
  from ${changes} as source cross join lateral (values
    (created_hour, change, 0, 0, 0,
      case status when 'declined' then change else 0 end, case status when 'failed' then change else 0 end, 0, 0, 0, 0),
    (captured_hour, 0, change, source.cents, source.fee_cents, 0, 0, 0, 0, 0, 0),
    (refunded_hour, 0, 0, 0, 0, 0, 0, change, source.cents, 0, 0),
    (disputed_hour, 0, 0, 0, 0, 0, 0, 0, 0, disputes, source.cents)
  ) as measured (hour, ${paymentColumns.join(', ')}) where hour is not null`

/** The hours of declines that some changes of transactions count in. */
const declinesOf = (changes: string) => `
  select merchant_id, currency, payment_method, rail, coalesce(card_brand, '') as card_brand, created_hour as hour,
    coalesce(decline_reason, 'processing_error') as reason, change as count, cents
  from ${changes} as source where status in ('declined', 'failed') and created_hour is not null`

/** Adds rows to a table of hours in the order of its key, so that replicas don't deadlock. */
function addTo(table: string, key: string[], columns: string[], rows: string): string {
  const names = key.join(', ')
  return `
    insert into transactions.${table} as kept (${names}, ${columns.join(', ')})
    select ${names}, ${columns.map(name => `sum(${name})`).join(', ')} from (${rows}) as counted
    group by ${names} having ${columns.map(name => `sum(${name}) <> 0`).join(' or ')} order by ${names}
    on conflict (${names}) do update set ${columns.map(name => `${name} = kept.${name} + excluded.${name}`).join(', ')};`
}

function hoursTable(table: string, key: string[], columns: string[]): string {
  const typeOf = (name: string) => (name === 'hour' ? 'timestamptz' : 'text')
  const lines = [
    ...key.map(name => `${name} ${typeOf(name)} not null`),
    ...columns.map(name => `${name} bigint not null`),
  ]
  return `create table ${table} (${lines.join(', ')}, primary key (${key.join(', ')}));`
}

/** A view of the kept hours together with the changes that are not added to them yet. */
function totalsView(name: string, key: string[], columns: string[], rows: string): string {
  const names = [...key, ...columns].join(', ')
  return `create view ${name.replace('hours', 'hour_totals')} as
    select ${names} from ${name} union all select ${names} from (${rows}) as counted;`
}

const hourOf = (column: string) => `date_trunc('hour', ${column}, 'UTC')`
/** The columns that say in which hours, and by which fields, a transaction counts. */
const counted = `merchant_id, status, payment_method, rail, currency, card ->> 'brand', decline_reason,
        ${hourOf('created_at')}, ${hourOf('captured_at')}, ${hourOf('refunded_at')}`
const changeColumns = `merchant_id, status, payment_method, rail, currency, card_brand, decline_reason,
      created_hour, captured_hour, refunded_hour, change, cents, fee_cents`
const watchedColumns = [
  ...['merchant_id', 'status', 'payment_method', 'rail', 'currency', 'card', 'decline_reason'],
  ...['created_at', 'captured_at', 'refunded_at', 'amount_cents', 'fee_cents', 'deleted_at'],
]
const watched = (row: string) => watchedColumns.map(name => `${row}.${name}`).join(', ')

const merchantPayments = ['merchant_id', ...paymentKey]
const merchantDeclines = ['merchant_id', ...declineKey]
const kept: [table: string, key: string[], columns: string[], rowsOf: (changes: string) => string][] = [
  ['payment_hours', merchantPayments, paymentColumns, paymentsOf],
  ['payment_hours_of_all', paymentKey, paymentColumns, paymentsOf],
  ['decline_hours', merchantDeclines, declineColumns, declinesOf],
  ['decline_hours_of_all', declineKey, declineColumns, declinesOf],
]

/**
 * Hourly sums of payments and declines, for reports. The rows that record changes of the counts now also say when a transaction
 * was created, captured and refunded, and for how much, so that a payment writes no more rows than before. Folding deletes
 * these rows, and a trigger then adds them to the hours, so that changes folded by a replica of an older release are included.
 */
export const reportHours = migration(
  '0022-report-hours',
  `
  -- In the order in which payments lock them, or this and a payment would wait for each other.
  lock table transactions, disputes in share row exclusive mode;
  alter table transaction_count_changes
    add column card_brand text, add column decline_reason text,
    add column created_hour timestamptz, add column captured_hour timestamptz, add column refunded_hour timestamptz,
    add column disputed_hour timestamptz, add column cents bigint, add column fee_cents bigint, add column disputes bigint;
  ${kept.map(([table, key, columns]) => hoursTable(table, key, columns)).join('\n  ')}
  ${kept.map(([table, key, columns, rowsOf]) => totalsView(table, key, columns, rowsOf('transaction_count_changes'))).join('\n  ')}

  create or replace function count_added() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_count_changes (${changeColumns})
      select ${counted}, count(*), sum(amount_cents), sum(fee_cents)
      from added where deleted_at is null group by ${counted};
    return null;
  end
  $$;
  create or replace function count_removed() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_count_changes (${changeColumns})
      select ${counted}, -count(*), -sum(amount_cents), -sum(fee_cents)
      from removed where deleted_at is null group by ${counted};
    return null;
  end
  $$;
  create or replace function count_changed() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_count_changes (${changeColumns})
      select ${counted}, change, change * amount_cents, change * fee_cents
      from (values (-1, ${watched('old')}), (1, ${watched('new')})) as sides (change, ${watchedColumns.join(', ')})
      where deleted_at is null;
    return null;
  end
  $$;
  create or replace trigger count_changed after update on transactions for each row
    when ((${watched('old')}) is distinct from (${watched('new')}))
    execute function count_changed();

  -- A dispute changes no count: its change is 0.
  create function count_dispute() returns trigger language plpgsql as $$
  begin
    insert into transactions.transaction_count_changes
      (merchant_id, status, payment_method, rail, currency, card_brand, disputed_hour, change, disputes, cents)
      select payment.merchant_id, status, payment_method, rail, currency, card ->> 'brand', ${hourOf('opened_at')}, 0, disputes,
        disputes * side.amount_cents
      from (values
        (-1, old.transaction_id, old.amount_cents, old.opened_at, old.deleted_at),
        (1, new.transaction_id, new.amount_cents, new.opened_at, new.deleted_at)
      ) as side (disputes, transaction_id, amount_cents, opened_at, deleted_at)
      join transactions.transactions payment on payment.id = side.transaction_id
      where side.deleted_at is null;
    return null;
  end
  $$;
  create trigger count_dispute after insert or delete on disputes for each row execute function count_dispute();
  create trigger count_changed_dispute after update on disputes for each row
    when ((old.amount_cents, old.opened_at, old.deleted_at) is distinct from (new.amount_cents, new.opened_at, new.deleted_at))
    execute function count_dispute();

  create function add_to_hours() returns trigger language plpgsql as $$
  begin
    ${kept.map(([table, key, columns, rowsOf]) => addTo(table, key, columns, rowsOf('taken'))).join('\n    ')}
    return null;
  end
  $$;
  create trigger add_to_hours after delete on transaction_count_changes
    referencing old table as taken for each statement execute function add_to_hours();

  -- Every transaction and dispute as a change that adds it: what the hours must be the sums of.
  create view transactions_as_changes (${changeColumns}, disputed_hour, disputes) as
    select ${counted}, 1, amount_cents, fee_cents, null::timestamptz, 0 from transactions where deleted_at is null
    union all
    select payment.merchant_id, status, payment_method, rail, currency, card ->> 'brand', null, null, null, null,
      0, dispute.amount_cents, 0, ${hourOf('opened_at')}, 1
    from (select transaction_id, amount_cents, opened_at from disputes where deleted_at is null) as dispute
    join transactions payment on payment.id = transaction_id;
  create view payment_hours_of_rows as ${paymentsOf('transactions_as_changes')};
  create view decline_hours_of_rows as ${declinesOf('transactions_as_changes')};
  `,
)
