import { migration } from '@cobro/database'

/** The merchant of each endpoint queue, for its capacity share; indexes of all merchants' lists. */
export const sharesAndLists = migration(
  '0005-shares-and-lists',
  `
  -- Null on a lane that an older release makes.
  alter table lanes add column merchant_id text;
  update lanes l set merchant_id = w.merchant_id from endpoints w where w.id = l.webhook_id;

  create index endpoints_newest_of_all on endpoints (created_at desc, id desc);
  create index deliveries_newest_of_all on deliveries (created_at desc, id desc) where deleted_at is null;
  `,
)
