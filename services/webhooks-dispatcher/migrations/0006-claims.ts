import { migration } from '@cobro/database'

/** By what a sender finds the jobs of a claim again whose answer was lost. Null on a job that an older release claims. */
export const claims = migration('0006-claims', 'alter table jobs add column claim uuid')
