import { messageTables, migration } from '@cobro/database'

/** Checkout sessions, payment attempts, and the copy of merchants. */
export const checkoutTables = migration(
  '0001-checkout',
  `
  ${messageTables}
  create sequence payment_ids as bigint;
  create table checkout_sessions (
    id text primary key,
    merchant_id text not null,
    merchant_name text not null,
    correlation_id text not null,
    payment_intent_id text not null unique,
    payment_id bigint not null unique,
    url text not null,
    status text not null,
    transaction_status text not null,
    transaction_id text,
    amount_total bigint not null check (amount_total > 0),
    currency text not null,
    external_id text,
    session_type text not null,
    checkout_type text not null,
    return_url text,
    success_url text,
    cancel_url text,
    metadata jsonb,
    payment_method_types jsonb not null,
    ui_config jsonb,
    ui_config_version text not null,
    customer jsonb,
    line_items jsonb not null,
    attempt_count integer not null,
    decline_count integer not null,
    viewed_at timestamptz(3),
    duplicate_told_at timestamptz(3),
    created_at timestamptz(3) not null,
    modified_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index checkout_sessions_due on checkout_sessions (expires_at) where status = 'pending';
  create index checkout_sessions_newest on checkout_sessions (merchant_id, created_at desc, id desc);

  create table payment_attempts (
    payment_intent_id text not null,
    number integer not null,
    payable_id text not null,
    merchant_id text not null,
    correlation_id text not null,
    status text not null,
    amount_cents bigint not null,
    currency text not null,
    card jsonb,
    payer_email text,
    decline_reason text,
    transaction_id text,
    deadline timestamptz(3) not null,
    resolve_at timestamptz(3),
    resolve_count integer not null default 0,
    created_at timestamptz(3) not null,
    settled_at timestamptz(3),
    primary key (payment_intent_id, number)
  );
  -- Prevents double charges: at most one payment attempt of a session runs, even if the code has a bug.
  create unique index payment_attempts_running on payment_attempts (payable_id) where status = 'running';
  create index payment_attempts_unresolved on payment_attempts (resolve_at) where status = 'running';

  create table merchants (
    id text primary key,
    name text not null,
    status text not null,
    version integer not null
  );
  `,
)
