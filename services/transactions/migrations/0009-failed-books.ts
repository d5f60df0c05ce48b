import { migration } from '@cobro/database'

/** Merchant ledgers whose daily run failed. They are retried by themselves and delay neither other ledgers nor later days. */
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
