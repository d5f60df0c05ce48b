import { migration } from '@cobro/database'

/**
 * When the acquirer reported the outcome of a dispute, so that of two notifications the newer one
 * stands, whichever arrives first.
 */
export const disputeNews = migration(
  '0007-dispute-news',
  `
  alter table disputes add column told_at timestamptz(3);
  update disputes set told_at = newest.told_at from (
    select subject, max((payload ->> 'created_at')::timestamptz) as told_at from acquirer_notices
    where type = 'dispute' and payload ->> 'status' <> 'open' group by subject) as newest
  where acquirer_reference = subject;
  `,
)
