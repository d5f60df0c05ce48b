import { migration } from '@cobro/database'

/** The acquirer is asked for a refund in a trace of its own, which is linked with the one in which it was begun. */
export const refundTraces = migration('0010-refund-traces', 'alter table refunds add column traceparent text')
