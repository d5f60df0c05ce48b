import { migrationInSteps } from '@cobro/database'

/** The index by which reconciliation pages through the captured payments of all merchants. */
export const capturedTransactions = migrationInSteps('0019-captured-transactions', [
  'drop index concurrently if exists transactions_captured',
  `create index concurrently transactions_captured on transactions (captured_at, id) where captured_at is not null`,
])
