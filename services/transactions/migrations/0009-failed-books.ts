import { migration } from '@cobro/database'

/** Ledgers whose daily run failed. Each is retried alone and delays no other ledger or day. */
export const failedBooks = migration(
  '0009-failed-books',
  `
  create table daily_run_failures (
    day date not null,
    merchant_id text not null,
    currency text not null,
    tries integer not null,
    next_try_at timestamptz(3) not null,
    primary key (merchant_id, currency, day)
  );
  create index daily_run_failures_due on daily_run_failures (next_try_at);
  `,
)
