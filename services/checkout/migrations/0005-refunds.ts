import { migration } from '@cobro/database'

/** Money that went back is shown where it was paid. Messages may overtake one another, so it is noted before the payment may be. */
export const refunds = migration(
  '0005-refunds',
  `
  alter table checkout_sessions add column refunded_at timestamptz(3);
  alter table payment_links add column refunded_at timestamptz(3);
  `,
)
