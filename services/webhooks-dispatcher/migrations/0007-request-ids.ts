import { migration } from '@cobro/database'

/** The request that caused a delivery, for the log lines of its attempts. Null if unknown or queued by an older release. */
export const requestIds = migration('0007-request-ids', 'alter table jobs add column request_id text')
