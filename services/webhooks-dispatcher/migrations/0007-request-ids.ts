import { migration } from '@cobro/database'

/** The call that a delivery follows from, for the log lines of its attempts. Null where none is known, or an older release queued it. */
export const requestIds = migration('0007-request-ids', 'alter table jobs add column request_id text')
