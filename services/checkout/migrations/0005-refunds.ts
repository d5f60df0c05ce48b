import { migration } from '@cobro/database'

/** Refunds of sessions and links. Stored in a column of their own, because a refund's event may arrive before the payment's. */
export const refunds = migration(
  '0005-refunds',
  `
  alter table checkout_sessions add column refunded_at timestamptz(3);
  alter table payment_links add column refunded_at timestamptz(3);
  `,
)
