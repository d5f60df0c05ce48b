import { idempotencyTable, migration } from '@cobro/database'

/** Answers to calls with an Idempotency-Key, and the attempts that such calls began. */
export const checkoutKeys = migration(
  '0002-checkout-idempotency',
  `${idempotencyTable}
  -- By which a repeated call finds the attempt that its first one began.
  alter table payment_attempts add column idempotency_id text;
  `,
)
