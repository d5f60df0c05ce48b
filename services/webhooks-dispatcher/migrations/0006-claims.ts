import { migration } from '@cobro/database'

/** The id of the claim that leased a delivery, to requeue unacknowledged claims. Null if an older release claimed it. */
export const claims = migration('0006-claims', 'alter table jobs add column claim uuid')
