import { migration } from '@cobro/database'

/**
 * The index of merchants' own API calls. The condition is that of `requestsOf`. PostgreSQL takes it for half of the rows; it takes
 * a comparison with a value in JSON for one in two hundred, and would sort all calls of a merchant.
 */
export const requestsOfMerchants = migration(
  '0008-requests-of-merchants',
  `
  create index events_requests on events (merchant_id, occurred_at desc, id desc)
    where action = 'http.request' and coalesce(actor ->> 'type' in ('key', 'client'), false);
  `,
)
