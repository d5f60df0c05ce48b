import { migrationInSteps } from '@cobro/database'

/**
 * The index of the newest together with what `search` looks through and is narrowed by the most. Rows that have a text which
 * many have are counted, and the newest of them found, from the index alone: to look up each of them in the table takes as long
 * as to read all of it. The texts are bounded: with three bytes to a character an entry is half of the longest that an index takes.
 */
export const searchOfMany = migrationInSteps('0014-search-of-many', [
  'drop index concurrently if exists transactions_by_time',
  `create index concurrently transactions_by_time
    on transactions (merchant_id, created_at, id, payment_method, rail, currency) include (search_text, status)
    where deleted_at is null`,
  // What it was read for the one above is read for: it begins with the same columns.
  'drop index concurrently if exists transactions_newest',
])
