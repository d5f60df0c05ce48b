import { migration } from '@cobro/database'

/** The trace in which a session or link was created. The trace of its expiry links to it. */
export const openingTraces = migration(
  '0006-opening-traces',
  `
  alter table checkout_sessions add column traceparent text;
  alter table payment_links add column traceparent text;
  `,
)
