import type { Database } from '@cobro/database'
import { type Measurement, observeGauge } from '@cobro/runtime'

/**
 * Has the refunds measured that have not gone back: for how long the oldest of those that the acquirer is asked about, and how
 * many it cannot give back. Each replica says the same.
 */
export function registerRefundMetrics(db: Database): void {
  const ask = async (statement: string): Promise<Measurement[]> => {
    const [row] = await db.read(em => em.execute<{ value: number | null }[]>(statement))
    return [{ value: row?.value ?? 0 }]
  }
  const age = {
    description: 'How long the oldest refund has been asked for that the acquirer has not ended',
    unit: 's',
  }
  observeGauge('cobro.refund.age', age, () => ask(oldestRefund))
  const byHand = { description: 'Refunds that somebody has to transfer, because the acquirer cannot' }
  observeGauge('cobro.refund.by_hand', byHand, () => ask(refundsByHand))
}

/**
 * The transaction knows since when: what is owed and failed is asked for under a new refund each time. Not a join, for which the
 * planner may read both from end to end: this looks at the oldest and stops at the first.
 */
export const oldestRefund = `
  select extract(epoch from now() - refund_requested_at)::float8 as value from transactions.transactions as paid
  where refund_status = 'processing' and not (select by_hand from transactions.refunds where id = paid.refund_id)
  order by refund_requested_at limit 1`

export const refundsByHand = 'select count(*)::integer as value from transactions.refunds where by_hand'
