import { idempotencyTable, migration } from '@cobro/database'

/** Stored answers to calls with an Idempotency-Key, and the column that links such calls to their payment attempts. */
export const checkoutKeys = migration(
  '0002-checkout-idempotency',
  `${idempotencyTable}
  -- By which a repeated call finds the attempt that its first one began.
  alter table payment_attempts add column idempotency_id text;
  `,
)
