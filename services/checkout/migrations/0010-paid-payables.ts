import { migrationInSteps } from '@cobro/database'

/** The indexes by which reconciliation pages through completed sessions and paid links. */
export const paidPayables = migrationInSteps('0010-paid-payables', [
  'drop index concurrently if exists checkout_sessions_completed',
  `create index concurrently checkout_sessions_completed on checkout_sessions (modified_at, id) where status = 'completed'`,
  'drop index concurrently if exists payment_links_paid',
  `create index concurrently payment_links_paid on payment_links (updated_at, id) where status = 'paid'`,
])
