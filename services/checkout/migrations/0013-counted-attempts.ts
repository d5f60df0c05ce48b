import { migrationInSteps } from '@cobro/database'

/**
 * The indexes by which the rules against card testing count. Those of cards and merchants have only attempts that count: an
 * approved payment leaves them.
 */
export const countedAttempts = migrationInSteps('0013-counted-attempts', [
  'drop index concurrently if exists payment_attempts_address',
  `create index concurrently payment_attempts_address on payment_attempts (address_digest, status, created_at) where address_digest is not null`,
  'drop index concurrently if exists payment_attempts_card',
  `create index concurrently payment_attempts_card on payment_attempts (card_fingerprint, created_at) where card_fingerprint is not null and status in ('running', 'declined')`,
  'drop index concurrently if exists payment_attempts_merchant',
  `create index concurrently payment_attempts_merchant on payment_attempts (merchant_id, created_at) where status in ('running', 'declined')`,
  'drop index concurrently if exists payment_attempts_counted',
  `create index concurrently payment_attempts_counted on payment_attempts (created_at) where address_digest is not null or card_fingerprint is not null`,
])
