import { migration } from '@cobro/database'

/**
 * The double-entry ledger and the tables that use it. One entry holds both sides of one amount,
 * so debits equal credits. Entries never change: the role lacks the permission, and a trigger rejects even the owner.
 */
export const ledgerTables = migration(
  '0004-ledger',
  `
  create table ledger_positions (
    transaction_id text primary key references transactions (id) deferrable initially deferred,
    merchant_id text not null,
    currency text not null,
    captured_on date not null,
    hold_until date,
    matured_on date,
    pending_cents bigint not null,
    available_cents bigint not null,
    reserve_cents bigint not null check (reserve_cents >= 0),
    disputed_cents bigint not null,
    -- Whether it has entries that no settlement has collected.
    unsettled boolean not null
  );
  create index ledger_positions_books on ledger_positions (merchant_id, currency);
  create index ledger_positions_unsettled on ledger_positions (merchant_id, currency, captured_on) where unsettled;
  create index ledger_positions_due on ledger_positions (merchant_id, currency, captured_on)
    where matured_on is null or pending_cents <> 0;
  create index ledger_positions_held on ledger_positions (merchant_id, currency, hold_until) where reserve_cents <> 0;

  create table ledger_entries (
    id text collate "C" primary key,
    merchant_id text not null,
    currency text not null,
    event text not null,
    debit text not null,
    credit text not null,
    amount_cents bigint not null check (amount_cents > 0),
    -- References the position, not the transaction: a run over many of them must not wait for the lock of one transaction.
    transaction_id text references ledger_positions (transaction_id) deferrable initially deferred,
    source_id text,
    day date not null,
    created_at timestamptz(3) not null,
    constraint ledger_entries_sides check (debit <> credit),
    constraint ledger_entries_accounts check (array[debit, credit] <@ array['receivable_acquirer', 'merchant_pending',
      'merchant_available', 'merchant_reserve', 'merchant_disputed', 'fee_revenue', 'payouts'])
  );
  create index ledger_entries_transaction on ledger_entries (transaction_id) where transaction_id is not null;
  create index ledger_entries_source on ledger_entries (source_id) where source_id is not null;
  create index ledger_entries_book on ledger_entries (merchant_id, currency, day);

  -- What was captured and given back before there was a ledger, without fees or holds.
  insert into ledger_positions
    select id, merchant_id, currency, (captured_at at time zone 'UTC')::date, null, null,
      case when refunded_at is null then amount_cents else 0 end, 0, 0, 0, true
    from transactions where captured_at is not null;
  insert into ledger_entries
    select 'led_' || substr(id, 5), merchant_id, currency, 'capture', 'receivable_acquirer', 'merchant_pending',
      amount_cents, id, null, (captured_at at time zone 'UTC')::date, captured_at
    from transactions where captured_at is not null;
  insert into ledger_entries
    select 'led_' || substr(refund_id, 5), merchant_id, currency, 'refund', 'merchant_pending', 'receivable_acquirer',
      amount_cents, id, refund_id, (refunded_at at time zone 'UTC')::date, refunded_at
    from transactions where captured_at is not null and refunded_at is not null;

  revoke update, delete, truncate on ledger_entries from cobro_transactions;
  create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'entries of the ledger are never changed: % on % is refused', lower(tg_op), tg_table_name
      using errcode = 'insufficient_privilege';
  end
  $$;
  -- For each statement: it also fires where no row matches, and unlike a trigger for rows it stops TRUNCATE.
  create trigger immutable before update or delete or truncate on ledger_entries
    for each statement execute function refuse_change();
  alter table ledger_entries enable always trigger immutable;

  alter table transactions add column fee_parts jsonb, add column deleted_at timestamptz(3);

  create table fee_rules (
    id text primary key,
    merchant_id text not null,
    name text not null,
    rail text,
    payment_method text,
    card_brand text,
    percent_bps integer not null check (percent_bps between 0 and 10000),
    fixed_cents bigint not null check (fixed_cents >= 0),
    min_fee_cents bigint check (min_fee_cents >= 0),
    max_fee_cents bigint check (max_fee_cents >= 0),
    tax_bps integer not null check (tax_bps between 0 and 10000),
    currency text,
    priority integer not null,
    active boolean not null,
    valid_from timestamptz(3),
    valid_to timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint fee_rules_bounds check (min_fee_cents <= max_fee_cents),
    constraint fee_rules_validity check (valid_from < valid_to)
  );
  create index fee_rules_newest on fee_rules (merchant_id, created_at desc, id desc);

  create table rolling_reserves (
    id text primary key,
    merchant_id text not null,
    percent_bps integer not null check (percent_bps between 0 and 10000),
    hold_days integer not null check (hold_days between 1 and 1000),
    active boolean not null,
    currency text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create unique index rolling_reserves_active on rolling_reserves (merchant_id, currency) where active;
  create index rolling_reserves_newest on rolling_reserves (merchant_id, created_at desc, id desc);

  create table settlement_configs (
    id text primary key,
    merchant_id text not null,
    frequency text not null,
    weekday integer,
    month_day integer,
    delay_days integer not null check (delay_days between 0 and 365),
    minimum_cents bigint not null check (minimum_cents >= 0),
    currency text not null,
    bank jsonb,
    active boolean not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint settlement_configs_day check (
      (frequency <> 'weekly' or weekday is not null) and (frequency <> 'monthly' or month_day is not null))
  );
  create unique index settlement_configs_active on settlement_configs (merchant_id, currency) where active;
  create index settlement_configs_newest on settlement_configs (merchant_id, created_at desc, id desc);

  create table settlements (
    id text primary key,
    merchant_id text not null,
    period_start date not null,
    period_end date not null,
    currency text not null,
    gross_cents bigint not null,
    fee_cents bigint not null,
    refund_cents bigint not null,
    chargeback_cents bigint not null,
    reserve_held_cents bigint not null,
    reserve_released_cents bigint not null,
    net_cents bigint not null check (net_cents > 0),
    transaction_count integer not null,
    status text not null,
    paid_at timestamptz(3),
    reference text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    deleted_at timestamptz(3)
  );
  create index settlements_newest on settlements (merchant_id, created_at desc, id desc);

  -- Each entry is in at most one settlement. One that failed or was deleted gives its entries free.
  create table settlement_entries (
    entry_id text collate "C" primary key references ledger_entries (id),
    settlement_id text not null references settlements (id) deferrable initially deferred
  );
  create index settlement_entries_settlement on settlement_entries (settlement_id);

  create table disputes (
    id text primary key,
    merchant_id text not null,
    correlation_id text not null,
    transaction_id text not null references transactions (id),
    amount_cents bigint not null check (amount_cents > 0),
    currency text not null,
    reason text not null,
    network_reason_code text,
    status text not null,
    evidence jsonb,
    acquirer_reference text,
    due_by timestamptz(3),
    opened_at timestamptz(3) not null,
    resolved_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    deleted_at timestamptz(3),
    constraint disputes_acquirer unique (acquirer_reference)
  );
  -- Through the API, a payment has one live dispute at a time. The acquirer's notifications may open more.
  create unique index disputes_live on disputes (transaction_id)
    where status in ('open', 'under_review') and deleted_at is null and acquirer_reference is null;
  create index disputes_newest on disputes (merchant_id, created_at desc, id desc);
  create index disputes_transaction on disputes (transaction_id);

  create table balance_snapshots (
    id text primary key,
    merchant_id text not null,
    currency text not null,
    as_of timestamptz(3) not null,
    day date,
    available_cents bigint not null,
    pending_cents bigint not null,
    reserved_cents bigint not null,
    disputed_cents bigint not null,
    note text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  -- A daily run that is repeated finds its own.
  create unique index balance_snapshots_day on balance_snapshots (merchant_id, currency, day) where day is not null;
  create index balance_snapshots_newest on balance_snapshots (merchant_id, created_at desc, id desc);

  create table daily_runs (
    day date primary key,
    taken_until timestamptz(3) not null,
    finished_at timestamptz(3)
  );
  `,
)
