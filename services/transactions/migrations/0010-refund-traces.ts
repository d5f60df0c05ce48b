import { migration } from '@cobro/database'

/** The trace context of a refund's request. Checks of the refund run in linked, separate traces. */
export const refundTraces = migration('0010-refund-traces', 'alter table refunds add column traceparent text')
