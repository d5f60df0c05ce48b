import { migration } from '@cobro/database'

/** Payments in cash. An attempt whose voucher is out takes the place of any other, as one that runs does. */
export const cash = migration(
  '0004-cash',
  `
  alter table payment_attempts add column payment_method text not null default 'card';
  alter table payment_attempts alter column payment_method drop default;
  alter table payment_attempts add column voucher jsonb;
  drop index payment_attempts_running;
  create unique index payment_attempts_open on payment_attempts (payable_id) where status in ('running', 'pending');
  `,
)
