import type { Id, PayableId } from '@cobro/contracts'
import { p } from '@mikro-orm/core'

/** Returns the columns that sessions and links share. */
export const payableColumns = <I extends PayableId>() => ({
  id: p.text().$type<I>().primary(),
  merchant_id: p.text().$type<Id<'mrc'>>(),
  /** The merchant's name at creation, for pages opened before the merchant's copy arrives. */
  merchant_name: p.text(),
  correlation_id: p.text().$type<Id<'corr'>>(),
  /** The trace context in which it was created. */
  traceparent: p.text().strictNullable(),
  payment_intent_id: p.text().$type<Id<'pi'>>(),
  url: p.text(),
  transaction_id: p.text().$type<Id<'txn'>>().strictNullable(),
  currency: p.text(),
  /** The number of the last attempt. */
  attempt_count: p.integer(),
  viewed_at: p.datetime(3).strictNullable(),
  /** When `payment.duplicate` was last emitted. */
  duplicate_told_at: p.datetime(3).strictNullable(),
  /** When `payment.blocked` was last emitted. */
  blocked_emitted_at: p.datetime(3).strictNullable(),
  created_at: p.datetime(3),
  expires_at: p.datetime(3),
  /** When the payment was refunded. The refund's event may arrive before the payment's. */
  refunded_at: p.datetime(3).strictNullable(),
})
