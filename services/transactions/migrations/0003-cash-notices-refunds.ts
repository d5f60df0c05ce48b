import { migration } from '@cobro/database'

/** Cash vouchers, notifications of the acquirer (`acquirer_notices`), late payments and refunds. */
export const cashNoticesRefunds = migration(
  '0003-cash-notices-refunds',
  `
  alter table transactions
    add column voucher_reference text,
    add column voucher_barcode text,
    add column voucher_due_at timestamptz(3),
    add column late_payment_of text;
  -- An acquirer may use a reference again once its voucher has ended.
  create index transactions_voucher on transactions (voucher_reference) where voucher_reference is not null;
  -- A late payment is recorded once, even if the acquirer reports it more than once.
  create unique index transactions_late_payment on transactions (late_payment_of) where late_payment_of is not null;
  create index transactions_payable on transactions (payable_id) where payable_id is not null;
  -- A voucher is withdrawn after its transaction has ended, so that ended ones may be due as well.
  create index transactions_next_check on transactions (next_check_at) where next_check_at is not null;
  drop index transactions_due;

  create table acquirer_notices (
    id text primary key,
    type text not null,
    subject text,
    payload jsonb not null,
    received_at timestamptz(3) not null
  );
  create index acquirer_notices_subject on acquirer_notices (type, subject);

  create table refunds (
    id text primary key,
    transaction_id text not null references transactions (id),
    merchant_id text not null,
    correlation_id text not null,
    payment_method text not null,
    payment_key text not null,
    amount_cents bigint not null check (amount_cents > 0),
    currency text not null,
    status text not null,
    owed boolean not null,
    by_hand boolean not null default false,
    failure_reason text,
    acquirer_reference text,
    asked_at timestamptz(3),
    next_check_at timestamptz(3),
    check_count integer not null default 0,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  -- A payment is given back once: another refund may begin only after the one before has failed.
  create unique index refunds_live on refunds (transaction_id) where status in ('processing', 'completed');
  create index refunds_next_check on refunds (next_check_at) where next_check_at is not null;
  create index refunds_by_hand on refunds (created_at) where by_hand;
  `,
)
