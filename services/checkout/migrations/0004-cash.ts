import { migration } from '@cobro/database'

/**
 * Cash payments. An attempt with an unpaid voucher excludes other attempts, as a running one does.
 * The default is for replicas of the previous release, which know only cards. Stored cards keep only the brand and last four digits.
 */
export const cash = migration(
  '0004-cash',
  `
  alter table payment_attempts add column payment_method text not null default 'card';
  alter table payment_attempts add column voucher jsonb;
  update payment_attempts set card = card - 'exp_month' - 'exp_year' where card is not null;
  create index payment_attempts_vouchers on payment_attempts (payable_id) where voucher is not null;
  drop index payment_attempts_running;
  create unique index payment_attempts_open on payment_attempts (payable_id) where status in ('running', 'pending');
  `,
)
