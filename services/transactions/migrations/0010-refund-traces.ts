import { migration } from '@cobro/database'

/** The trace context of the request that started a refund; checks of the refund run in their own trace with a link to it. */
export const refundTraces = migration('0010-refund-traces', 'alter table refunds add column traceparent text')
