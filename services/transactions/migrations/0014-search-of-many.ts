import { migrationInSteps } from '@cobro/database'

/**
 * Adds the search text and the status to the index by time.
 * Matches of a common text are then counted and the newest found in the index alone: looking each up in the table takes
 * as long as reading all of it. The texts are bounded: at three bytes a character, an entry has half the maximum size.
 */
export const searchOfMany = migrationInSteps('0014-search-of-many', [
  'drop index concurrently if exists transactions_by_time',
  `create index concurrently transactions_by_time
    on transactions (merchant_id, created_at, id, payment_method, rail, currency) include (search_text, status)
    where deleted_at is null`,
  // The index above starts with the same columns, so it replaces this one.
  'drop index concurrently if exists transactions_newest',
])
