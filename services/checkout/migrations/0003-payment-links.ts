import { migration } from '@cobro/database'

/** Payment links, and the column and indexes with which the dashboard finds sessions. */
export const paymentLinks = migration(
  '0003-payment-links',
  `
  create table payment_links (
    id text primary key,
    merchant_id text not null,
    merchant_name text not null,
    correlation_id text not null,
    payment_intent_id text not null unique,
    url text not null,
    status text not null,
    transaction_id text,
    concepto text not null,
    reference text,
    amount_cents bigint not null check (amount_cents > 0),
    currency text not null,
    payment_method_types jsonb not null,
    payer_email text,
    metadata jsonb,
    attempt_count integer not null,
    decline_count integer not null,
    blocked_until timestamptz(3),
    viewed_at timestamptz(3),
    duplicate_told_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    paid_at timestamptz(3)
  );
  create index payment_links_due on payment_links (expires_at) where status = 'active';
  create index payment_links_newest on payment_links (merchant_id, created_at desc, id desc);
  create index payment_links_reference on payment_links (merchant_id, reference);
  create index payment_links_correlation on payment_links (correlation_id);

  alter table checkout_sessions add column customer_email text;
  update checkout_sessions set customer_email = customer ->> 'email';
  create index checkout_sessions_email on checkout_sessions (merchant_id, customer_email);
  create index checkout_sessions_external on checkout_sessions (merchant_id, external_id);
  create index checkout_sessions_correlation on checkout_sessions (correlation_id);
  `,
)
