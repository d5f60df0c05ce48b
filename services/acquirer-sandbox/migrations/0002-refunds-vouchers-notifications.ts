import { migration } from '@cobro/database'

/**
 * Refunds, vouchers, disputes and their notifications, and a signing key pair beside the others.
 * Like a charge key, the key of a refund or voucher allows one of them or one reversal. A notification is stored with
 * the change that it reports, sent no earlier than `next_try_at`, and deleted after its delivery.
 */
export const refundsVouchersNotifications = migration(
  '0002-refunds-vouchers-notifications',
  `
  alter table encryption_keys rename to key_pairs;
  alter table key_pairs add column use text not null default 'enc' check (use in ('enc', 'sig'));
  alter table key_pairs alter column use drop default;

  create table refunds (
    key text primary key,
    reference text not null unique,
    charge_key text,
    voucher_key text,
    amount_cents bigint check (amount_cents > 0),
    currency text,
    status text not null check (status in ('completed', 'failed', 'reversed')),
    failure_code text,
    settles_at timestamptz(3) not null,
    created_at timestamptz(3) not null,
    constraint refunds_of_one_payment check (num_nonnulls(charge_key, voucher_key) = case when status = 'reversed' then 0 else 1 end),
    constraint refunds_reversed check ((status = 'reversed') = (amount_cents is null and currency is null))
  );
  create index refunds_charge on refunds (charge_key) where charge_key is not null;
  create index refunds_voucher on refunds (voucher_key) where voucher_key is not null;

  create table vouchers (
    key text primary key,
    reference text not null unique,
    barcode text,
    amount_cents bigint check (amount_cents > 0),
    currency text,
    concept text,
    due_at timestamptz(3),
    status text not null check (status in ('pending', 'paid', 'expired', 'withdrawn', 'reversed')),
    paid_at timestamptz(3),
    created_at timestamptz(3) not null,
    constraint vouchers_paid check ((status = 'paid') = (paid_at is not null)),
    constraint vouchers_reversed check (num_nulls(barcode, amount_cents, currency, due_at) = case when status = 'reversed' then 4 else 0 end)
  );
  create index vouchers_due on vouchers (due_at) where status = 'pending';

  create table disputes (
    reference text primary key,
    charge_key text not null unique references charges,
    amount_cents bigint not null check (amount_cents > 0),
    currency text not null,
    status text not null check (status in ('open', 'won', 'lost')),
    due_by timestamptz(3) not null,
    opened_at timestamptz(3) not null,
    resolved_at timestamptz(3),
    constraint disputes_resolved check ((status = 'open') = (resolved_at is null))
  );

  create table notifications (
    id text primary key,
    type text not null,
    body bytea not null,
    tries integer not null default 0,
    next_try_at timestamptz(3) not null,
    created_at timestamptz(3) not null
  );
  create index notifications_due on notifications (next_try_at);
  `,
)
