import { messageTables, migration } from '@cobro/database'

/** Transactions, branches and terminals. `created_at` has milliseconds, as in the API. */
export const transactionTables = migration(
  '0001-transactions',
  `
  ${messageTables}
  create table transactions (
    id text primary key,
    merchant_id text not null,
    type text not null,
    correlation_id text not null,
    payment_intent_id text,
    attempt integer,
    payable_id text,
    payment_link_id text,
    order_id text,
    reference text,
    payer_email text,
    rail text not null,
    payment_method text not null,
    status text not null,
    amount_cents bigint not null check (amount_cents > 0),
    currency text not null,
    fee_cents bigint not null default 0,
    card jsonb,
    customer_ref text,
    decline_reason text,
    risk_score double precision,
    terminal_id text,
    metadata jsonb,
    refund_status text,
    refund_id text,
    refund_requested_at timestamptz(3),
    refunded_at timestamptz(3),
    acquirer_reference text,
    settled_event_id text,
    next_check_at timestamptz(3),
    check_count integer not null default 0,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    captured_at timestamptz(3),
    constraint transactions_attempt unique (payment_intent_id, attempt)
  );
  -- The second wall against a double charge: one payment intent has at most one charge that is or may become money.
  create unique index transactions_live_charge on transactions (payment_intent_id)
    where status in ('pending', 'approved', 'refunded', 'chargeback');
  create index transactions_newest on transactions (merchant_id, created_at desc, id desc);
  create index transactions_correlation on transactions (correlation_id);
  create index transactions_due on transactions (next_check_at) where status = 'pending' and next_check_at is not null;

  create table sucursales (
    id text primary key,
    merchant_id text not null,
    name text not null,
    address jsonb,
    phone text,
    status text not null default 'active',
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index sucursales_newest on sucursales (merchant_id, created_at desc, id desc);

  create table terminales (
    id text primary key,
    merchant_id text not null,
    name text not null,
    serial text not null,
    model text,
    sucursal_id text references sucursales (id),
    status text not null default 'active',
    linked_at timestamptz(3),
    last_seen_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint terminales_serial unique (merchant_id, serial)
  );
  create index terminales_newest on terminales (merchant_id, created_at desc, id desc);
  create index terminales_sucursal on terminales (sucursal_id);
  `,
)
