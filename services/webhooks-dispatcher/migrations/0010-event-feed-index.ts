import { migrationInSteps } from '@cobro/database'

/** The index by which readers page through a merchant's events. */
export const eventFeedIndex = migrationInSteps('0010-event-feed-index', [
  'drop index concurrently if exists events_sequence',
  `create unique index concurrently events_sequence on events (merchant_id, sequence) where sequence is not null`,
])
