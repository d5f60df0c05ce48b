import { migration } from '@cobro/database'

/** What lists of an action or a category are read and counted by, where the log holds millions of events. */
export const listsOfMillions = migration(
  '0003-lists-of-millions',
  `
  create index events_action on events (action, occurred_at, id);
  create index events_category on events (category, occurred_at, id);
  `,
)
