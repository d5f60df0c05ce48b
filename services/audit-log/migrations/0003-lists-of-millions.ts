import { migration } from '@cobro/database'

/** Indexes for listing and counting millions of events by action or category. */
export const listsOfMillions = migration(
  '0003-lists-of-millions',
  `
  create index events_action on events (action, occurred_at, id);
  create index events_category on events (category, occurred_at, id);
  `,
)
