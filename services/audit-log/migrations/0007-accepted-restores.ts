import { migration } from '@cobro/database'

/**
 * Copies of the events that record that an earlier state of the log was restored. They outlive the
 * months of those events.
 */
export const acceptedRestores = migration(
  '0007-accepted-restores',
  `
  create table restores (
    seq bigint primary key,
    content bytea not null
  );
  select make_immutable('restores');
  `,
)
