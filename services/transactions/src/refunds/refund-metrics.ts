import { type Database, observeQuery } from '@cobro/database'

/** Registers the age of the oldest open refund and the number of refunds to transfer manually. */
export function registerRefundMetrics(db: Database): void {
  const age = { description: 'Age of the oldest refund that the acquirer has not completed', unit: 's' }
  observeQuery(db, 'cobro_refund_oldest_age_seconds', age, oldestRefund)
  const manual = { description: 'Refunds that an operator must transfer, because the acquirer cannot' }
  observeQuery(db, 'cobro_manual_refunds_due', manual, manualRefunds)
}

/**
 * Uses the transaction's request time, because each retry of a refund is a new row in `refunds`.
 * A join could make the planner scan both tables; this query reads transactions by age and stops at the first match.
 */
export const oldestRefund = `
  select extract(epoch from now() - refund_requested_at)::float8 as value from transactions.transactions as paid
  where refund_status = 'processing' and not (select by_hand from transactions.refunds where id = paid.refund_id)
  order by refund_requested_at limit 1`

export const manualRefunds = 'select count(*)::integer as value from transactions.refunds where by_hand'
