import { migration } from '@cobro/database'

/** Refunds of sessions and links, in a separate column: the event may precede the payment's. */
export const refunds = migration(
  '0005-refunds',
  `
  alter table checkout_sessions add column refunded_at timestamptz(3);
  alter table payment_links add column refunded_at timestamptz(3);
  `,
)
