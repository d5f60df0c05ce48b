import { migration } from '@cobro/database'

/** An expiry has a trace of its own, which is linked with the one in which the session or link was opened. */
export const openingTraces = migration(
  '0006-opening-traces',
  `
  alter table checkout_sessions add column traceparent text;
  alter table payment_links add column traceparent text;
  `,
)
