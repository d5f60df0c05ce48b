import { idempotencyTable, migration } from '@cobro/database'

/** Stored responses by Idempotency-Key, and the column that links calls to payment attempts. */
export const checkoutKeys = migration(
  '0002-checkout-idempotency',
  `${idempotencyTable}
  -- By which a repeated call finds the attempt that its first one began.
  alter table payment_attempts add column idempotency_id text;
  `,
)
