import { migration } from '@cobro/database'

/** The claim that leased a delivery, to requeue it if unacknowledged. Null from older releases. */
export const claims = migration('0006-claims', 'alter table jobs add column claim uuid')
