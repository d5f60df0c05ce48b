import type { Exception } from './lint-migrations.ts'

const because = 'It is older than the first release, so no older release runs next to it.'

/** Migrations that may break rules. An exception that is not needed fails the lint. */
export const migrationExceptions: readonly Exception[] = [
  {
    migration: 'acquirer-sandbox/0002-refunds-vouchers-notifications',
    rules: ['rename', 'validated-constraint', 'drop-default'],
    because,
  },
  {
    migration: 'audit-log/0002-tamper-evidence',
    rules: ['changed-rows', 'set-not-null', 'blocking-index', 'drop-index'],
    because,
  },
  { migration: 'audit-log/0003-lists-of-millions', rules: ['blocking-index'], because },
  ...(['audit-log/0008-requests-of-merchants', 'audit-log/0009-changes-of-lifecycles'] as const).map(migration => ({
    migration,
    rules: ['blocking-index' as const],
    because: 'A partitioned table cannot be indexed concurrently, and events wait in the queue meanwhile.',
  })),
  { migration: 'checkout/0003-payment-links', rules: ['changed-rows', 'blocking-index'], because },
  { migration: 'checkout/0004-cash', rules: ['changed-rows', 'blocking-index', 'drop-index'], because },
  {
    migration: 'gateway/0003-key-lifetimes',
    rules: ['validated-constraint', 'changed-rows', 'blocking-index'],
    because,
  },
  { migration: 'gateway/0004-merchants-and-users', rules: ['validated-constraint', 'blocking-index'], because },
  {
    migration: 'gateway/0010-user-accesses',
    rules: ['changed-rows', 'set-not-null', 'validated-constraint'],
    because: 'Users are people: thousands at most. A trigger fills the rows that the release before inserts.',
  },
  { migration: 'transactions/0003-cash-notices-refunds', rules: ['blocking-index', 'drop-index'], because },
  {
    migration: 'transactions/0005-transaction-search',
    rules: ['filled-column', 'changed-rows', 'blocking-index', 'drop-index'],
    because,
  },
  { migration: 'transactions/0006-transaction-counts', rules: ['blocking-index', 'drop-index'], because },
  { migration: 'transactions/0007-dispute-news', rules: ['changed-rows'], because },
  { migration: 'transactions/0008-reserve-of-positions', rules: ['changed-rows', 'blocking-index'], because },
  {
    migration: 'transactions/0022-report-hours',
    rules: ['lock-table'],
    because:
      'It creates triggers, which takes the same locks and lets reads go on; in another order payments would deadlock.',
  },
  {
    migration: 'transactions/0024-manual-refunds',
    rules: ['changed-rows'],
    because: 'Few refunds wait for a transfer at a time. A trigger marks those that the release before changes.',
  },
  { migration: 'webhooks-dispatcher/0003-deliveries-by-hand', rules: ['validated-constraint'], because },
  { migration: 'webhooks-dispatcher/0004-retention', rules: ['blocking-index'], because },
  { migration: 'webhooks-dispatcher/0005-shares-and-lists', rules: ['changed-rows', 'blocking-index'], because },
]
