import { migrationInSteps } from '@cobro/database'

/** The index that finds the oldest payment with an open refund. */
export const refundsInHand = migrationInSteps('0012-refunds-in-hand', [
  'drop index concurrently if exists transactions_refunding',
  `create index concurrently transactions_refunding on transactions (refund_requested_at) where refund_status = 'processing'`,
])
