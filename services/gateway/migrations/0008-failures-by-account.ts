import { migrationInSteps } from '@cobro/database'

/** An index to count the failed logins of an account from all addresses. */
export const failuresByAccount = migrationInSteps('0008-failures-by-account', [
  'drop index concurrently if exists login_failures_account',
  'create index concurrently login_failures_account on login_failures (account_hash, failed_at desc)',
])
