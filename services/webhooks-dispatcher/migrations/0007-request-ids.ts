import { migration } from '@cobro/database'

/** The request that caused a delivery, for its log lines. Null if unknown or from old releases. */
export const requestIds = migration('0007-request-ids', 'alter table jobs add column request_id text')
